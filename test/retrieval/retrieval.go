// Package retrieval reads public sets of tools and of queries with their right answers. A set NAME
// consists of a file NAME.tools.jsonl and of files NAME.queries.ANYTHING.jsonl; see test/evalsearch.
package retrieval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
)

// Set is a set of tools and its queries.
type Set struct {
	Name    string
	Tools   []toolscript.Tool // several tools may have the same id
	Queries []Query
}

// Query is one query of a set.
type Query struct {
	Query    string
	Kind     string
	Relevant []string // ids of the right tools
}

// Dir returns the folder of the sets, which is next to the repository. root is the path of the repository.
func Dir(root string) string { return filepath.Join(root, "..", "shared", "data", "retrieval") }

// Read reads all sets of a folder, sorted by name.
func Read(dir string) ([]Set, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tools.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no NAME.tools.jsonl", dir)
	}
	var sets []Set
	for _, file := range files {
		s, err := readSet(file)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(file string) (Set, error) {
	base := strings.TrimSuffix(file, ".tools.jsonl")
	s := Set{Name: filepath.Base(base)}
	var (
		ids map[string]string
		err error
	)
	if s.Tools, ids, err = readTools(file); err != nil {
		return s, err
	}
	asked, err := filepath.Glob(base + ".queries*.jsonl")
	if err != nil {
		return s, err
	}
	for _, file := range asked {
		queries, err := lines[Query](file)
		if err != nil {
			return s, err
		}
		s.Queries = append(s.Queries, queries...)
	}
	for _, q := range s.Queries {
		for i, named := range q.Relevant {
			id, known := ids[named]
			if !known {
				return s, fmt.Errorf("%s: %q is the answer to %q and no tool", s.Name, named, q.Query)
			}
			q.Relevant[i] = id
		}
	}
	return s, nil
}

// readTools returns the tools of a file, and a map from their names in the file to their ids. If several
// tools have the same id, as eight functions of BFCL do, the catalog keeps the first.
func readTools(file string) ([]toolscript.Tool, map[string]string, error) {
	entries, err := lines[struct {
		ID, Server, Tool, Description string
		Params                        [][2]string
	}](file)
	if err != nil {
		return nil, nil, err
	}
	ids := map[string]string{}
	var tools []toolscript.Tool
	for _, e := range entries {
		t := toolscript.Tool{Server: e.Server, Name: e.Tool, Description: e.Description, InputSchema: schema(e.Params)}
		ids[e.ID] = t.ID()
		tools = append(tools, t)
	}
	return tools, ids, nil
}

// schema returns a JSON Schema whose properties have the order of params.
func schema(params [][2]string) json.RawMessage {
	var properties []string
	for _, p := range params {
		name, _ := json.Marshal(p[0])                                       // a string always has a JSON form
		property, _ := json.Marshal(map[string]string{"description": p[1]}) // so does this map
		properties = append(properties, string(name)+":"+string(property))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
}

// lines reads a file with one JSON value per line.
func lines[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var all []T
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var v T
		if err := json.Unmarshal(scanner.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, len(all)+1, err)
		}
		all = append(all, v)
	}
	return all, scanner.Err()
}
