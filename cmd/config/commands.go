package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/transport/commands"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// commandTools are the commands of a server as JSON; nil for a server of another type.
func commandTools(n *node) json.RawMessage {
	if serverType(n) != mcpclient.Command {
		return nil
	}
	text, _ := json.Marshal(n.child("commands").plain()) // it was JSON
	return text
}

// commandRoot is the folder that the programs of a server of commands work in: root, else the
// folder of a project's file, else the working directory.
func (o Options) commandRoot(n *node, file File) (string, error) {
	root := n.child("root").text()
	switch {
	case root != "":
		o.WorkDir = filepath.Dir(file.Path)
		return o.absolute(root)
	case file.Project:
		return filepath.Dir(file.Path), nil
	default:
		return o.workDir()
	}
}

// wrongCommands are the mistakes in the commands of a server that the schema cannot find.
func (d *document) wrongCommands(name string, n *node) (out []finding) {
	text := commandTools(n)
	if text == nil {
		return nil
	}
	add := func(n *node, message string, path ...string) {
		out = append(out, wrongAt(append([]string{serversKey, name, "commands"}, path...), n.find(path).at, message))
	}
	tools := n.child("commands")
	definitions, err := commands.Parse(text)
	if err != nil {
		add(tools, err.Error())
		return out
	}
	for tool := range tools.children() {
		if field, problem := definitions[tool].Check(); problem != "" {
			add(tools, problem, append([]string{tool}, strings.Split(field, ".")...)...)
		}
	}
	return out
}
