package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// checkParams returns why the parameters of a request are refused, or nil. mcp-go would
// answer with the error of its decoder.
func (m message) checkParams() error {
	if len(m.Params) == 0 || string(m.Params) == "null" {
		if m.Method == string(mcp.MethodToolsCall) {
			return errNoName
		}
		return nil
	}
	if !isObject(m.Params) {
		return fmt.Errorf("the parameters of %.40q must be a JSON object", m.Method)
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(m.Params, &params) // the parameters are an object
	if meta := params["_meta"]; len(meta) > 0 && string(meta) != "null" && !isObject(meta) {
		return errors.New(`"_meta" must be a JSON object`)
	}
	var level struct {
		Level *string `json:"io.modelcontextprotocol/logLevel"`
	}
	if json.Unmarshal(params["_meta"], &level) == nil && level.Level != nil && toolscript.LogRank(*level.Level) < 0 {
		return fmt.Errorf("there is no log level %.40q", *level.Level)
	}
	if m.Method != string(mcp.MethodToolsCall) {
		return nil
	}
	var name string
	if err := json.Unmarshal(params["name"], &name); err != nil || name == "" {
		return errNoName
	}
	return nil
}

// subject returns what a client waits for after it has sent the message: the name of a tool, or the method of another
// request. It is "" for a ping and for messages without a response.
func (m message) subject() string {
	id, _ := m.key()
	switch {
	case id == nil || m.Method == string(mcp.MethodPing):
		return ""
	case m.Method == string(mcp.MethodToolsCall):
		return calledTool + texts.Cut(m.passParams().Name, maxSubject)
	}
	return texts.Cut(m.Method, maxSubject)
}

// calledTool begins the subject of a message that calls a tool.
const calledTool = "tool "

// maxSubject is the maximum length of a name or method in a subject, in bytes.
const maxSubject = 100

// checkTool returns the error for a call of a tool that this server does not have, or nil.
func (m message) checkTool() error {
	if m.Method != string(mcp.MethodToolsCall) {
		return nil
	}
	switch name := m.passParams().Name; name {
	case searchTool.Name, describeTool.Name, runTool.Name:
		return nil
	default:
		return errUnknownTool(name)
	}
}

func errUnknownTool(name string) error {
	return fmt.Errorf("there is no tool %.60q; the tools are %s, and a script of %s calls those of servers", name, threeTools, runTool.Name)
}

var (
	threeTools = fmt.Sprintf("%s, %s and %s", searchTool.Name, describeTool.Name, runTool.Name)
	errNoName  = fmt.Errorf(`"name" of tools/call must be a text: one of the tools %s`, threeTools)
)

func isObject(value json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(value), []byte("{"))
}
