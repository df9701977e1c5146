// Package toolslist reads answers of real MCP servers to tools/list, for tests and
// measurements.
package toolslist

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
)

// List is the tools/list answer of one server.
type List struct {
	Server string // the name of the file
	Tools  []toolscript.Tool
	Raw    string // the answer as minified JSON, which a client's model reads without toolscript
}

// Dir returns the folder of the answers: the shared data if they exist, or else the excerpt in this
// repository. root is the path of the repository.
func Dir(root string) string {
	if shared := Shared(root); shared != "" {
		return shared
	}
	return filepath.Join(root, "codegen", "testdata", "schemas")
}

// Shared returns the folder of the shared data, or "".
func Shared(root string) string {
	shared := filepath.Join(root, "..", "shared", "data", "schemas")
	if _, err := os.Stat(shared); err != nil {
		return ""
	}
	return shared
}

// Read reads all answers in a folder, sorted by server.
func Read(dir string) ([]List, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no tools/list answers in %s", dir)
	}
	var lists []List
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(filepath.Base(file), ".json"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		lists = append(lists, list)
	}
	return lists, nil
}

// tool is a tool in the format of tools/list.
type tool struct {
	Name         string                 `json:"name"`
	Title        string                 `json:"title"`
	Description  string                 `json:"description"`
	InputSchema  json.RawMessage        `json:"inputSchema"`
	OutputSchema json.RawMessage        `json:"outputSchema"`
	Annotations  toolscript.Annotations `json:"annotations"`
}

func parse(server string, text []byte) (List, error) {
	var answer struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return List{}, err
	}
	list := List{Server: server}
	var raw bytes.Buffer
	raw.WriteString(`{"tools":[`)
	for i, text := range answer.Tools {
		var t tool
		if err := json.Unmarshal(text, &t); err != nil {
			return List{}, err
		}
		list.Tools = append(list.Tools, toolscript.Tool{
			Server: server, Name: t.Name, Title: t.Title, Description: t.Description,
			InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations,
		})
		if i > 0 {
			raw.WriteByte(',')
		}
		if err := json.Compact(&raw, text); err != nil {
			return List{}, err
		}
	}
	raw.WriteString("]}")
	list.Raw = raw.String()
	return list, nil
}

// Excerpt reads the excerpt in this repository: the names, inputs and beginnings of descriptions of the
// tools of eleven real servers.
func Excerpt(root string) ([]toolscript.Tool, error) {
	f, err := os.Open(filepath.Join(root, "actors", "search", "index", "testdata", "tools.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var tools []toolscript.Tool
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		var t struct {
			Server, Name, Description string
			Inputs                    []string
		}
		if err := json.Unmarshal(scanner.Bytes(), &t); err != nil {
			return nil, err
		}
		properties := map[string]bool{}
		for _, input := range t.Inputs {
			properties[input] = true
		}
		schema, err := json.Marshal(map[string]any{"properties": properties})
		if err != nil {
			return nil, err
		}
		tools = append(tools, toolscript.Tool{Server: t.Server, Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	return tools, scanner.Err()
}
