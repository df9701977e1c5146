package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/transport/commands"
)

const commandsKey = "commands"

// commandTools returns the commands of a server as JSON, or nil for a server of another type.
func commandTools(n *node) json.RawMessage {
	if !kindOf(n).Has(commandsKey) {
		return nil
	}
	text, _ := json.Marshal(n.child(commandsKey).plain()) // it was parsed from JSON
	return text
}

// rootOf returns the folder in which the tools of a server work: root, else the folder of a project's
// file, else the working directory; "" for a server of a type without root.
func (o Options) rootOf(n *node, file File) (string, error) {
	switch root := n.child("root").text(); {
	case !kindOf(n).Has("root"):
		return "", nil
	case root != "":
		return root, nil
	case file.Project:
		return filepath.Dir(file.Path), nil
	default:
		return o.workDir()
	}
}

// wrongCommands returns the mistakes in a server's commands that the schema cannot find. It
// skips the commands in broken, in which the schema has found mistakes.
func (d *document) wrongCommands(name string, n *node, broken map[string]Mistakes) (out []finding) {
	definitions, _ := commands.Parse(commandTools(n)) // the schema has reported a value that is not an object
	for tool, definition := range definitions {
		if _, known := broken[tool]; known {
			continue
		}
		if field, problem := definition.Check(); problem != "" {
			out = append(out, atCommand(name, n, tool, field, problem))
		}
	}
	return out
}

// nearWords returns warnings about words in braces that may be meant as parameters.
func (d *document) nearWords(name string, n *node) (out []finding) {
	definitions, _ := commands.Parse(commandTools(n)) // as above
	for tool, definition := range definitions {
		fields, warnings := definition.Near()
		for i, field := range fields {
			out = append(out, atCommand(name, n, tool, field, warnings[i]))
		}
	}
	return out
}

// atCommand returns a finding at a field of a command.
func atCommand(server string, n *node, tool, field, message string) finding {
	path := []string{commandsKey, tool}
	if field != "" {
		path = append(path, strings.Split(field, ".")...)
	}
	return wrongAt(append([]string{serversKey, server}, path...), n.find(path).at, message)
}

// without removes the commands that have mistakes. It returns nil if no command is left.
func without(text json.RawMessage, broken map[string]Mistakes) json.RawMessage {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(text, &all) // it was JSON
	for name := range broken {
		delete(all, name)
	}
	if len(all) == 0 {
		return nil
	}
	text, _ = json.Marshal(all) // as above
	return text
}
