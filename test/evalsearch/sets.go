package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
)

// set is one collection of tools and the queries that are asked of it.
type set struct {
	name    string
	catalog toolscript.Catalog
	queries []query
}

type query struct {
	Query    string
	Kind     string
	Relevant []string // as the files name tools; readSet makes tool ids of them
}

func readSets(dir string) ([]set, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tools.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no NAME.tools.jsonl", dir)
	}
	var sets []set
	for _, file := range files {
		s, err := readSet(file)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(file string) (set, error) {
	base := strings.TrimSuffix(file, ".tools.jsonl")
	s := set{name: filepath.Base(base)}
	tools, ids, err := readTools(file)
	if err != nil {
		return s, err
	}
	s.catalog = toolscript.NewCatalog(1, nil, tools)
	asked, err := filepath.Glob(base + ".queries*.jsonl")
	if err != nil {
		return s, err
	}
	for _, file := range asked {
		queries, err := lines[query](file)
		if err != nil {
			return s, err
		}
		s.queries = append(s.queries, queries...)
	}
	for _, q := range s.queries {
		for i, named := range q.Relevant {
			id, known := ids[named]
			if !known {
				return s, fmt.Errorf("%s: %q is the answer to %q and no tool", s.name, named, q.Query)
			}
			q.Relevant[i] = id
		}
	}
	return s, nil
}

// readTools also maps what the file calls a tool to its id. Of tools with one
// id, as eight functions of BFCL have, the catalog keeps the first.
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

// schema is a JSON Schema with properties in the order of params.
func schema(params [][2]string) json.RawMessage {
	var properties []string
	for _, p := range params {
		name, _ := json.Marshal(p[0])                                       // a string always can be
		property, _ := json.Marshal(map[string]string{"description": p[1]}) // so can this
		properties = append(properties, string(name)+":"+string(property))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
}

// lines reads a file of JSON values, one a line.
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
