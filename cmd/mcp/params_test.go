package mcp_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/mcp"
)

// On both transports, parameters that mcp-go cannot read are refused with an error of this program.
func TestParametersThatCannotBeRead(t *testing.T) {
	const name, tools = `"name" of tools/call must be a text: one of the tools `, `search_tools, describe_tools and run_script`
	cases := map[string]string{
		`"method":"tools/call"`:                                                          name + tools,
		`"method":"tools/call","params":null`:                                            name + tools,
		`"method":"tools/call","params":{}`:                                              name + tools,
		`"method":"tools/call","params":{"name":5}`:                                      name + tools,
		`"method":"tools/call","params":{"name":null,"arguments":{}}`:                    name + tools,
		`"method":"tools/call","params":[]`:                                              `the parameters of "tools/call" must be a JSON object`,
		`"method":"tools/call","params":"run_script"`:                                    `the parameters of "tools/call" must be a JSON object`,
		`"method":"resources/read","params":[]`:                                          `the parameters of "resources/read" must be a JSON object`,
		`"method":"tools/list","params":7`:                                               `the parameters of "tools/list" must be a JSON object`,
		`"method":"tools/call","params":{"name":"run_script","_meta":[]}`:                `"_meta" must be a JSON object`,
		`"method":"tools/call","params":{"name":"demo__echo","arguments":{"text":"hi"}}`: `there is no tool "demo__echo"; the tools are ` + tools + `, and a script of run_script calls those of servers`,
		`"method":"tools/call","params":{"name":"Run_Script"}`:                           `there is no tool "Run_Script"; the tools are ` + tools,
	}
	h := overHTTP(t, mcp.Options{})
	c := onStdio(t, mcp.Options{})
	for rest, want := range cases {
		request := `{"jsonrpc":"2.0","id":7,` + rest + `}`
		go func() { _, _ = io.WriteString(c.in, request+"\n") }() // a pipe in memory
		w := h.post("", request)
		var web response
		if err := json.Unmarshal(w.Body.Bytes(), &web); err != nil {
			t.Errorf("%s over HTTP: %s", rest, w.Body)
		}
		for over, got := range map[string]response{"stdio": c.receive(), "HTTP": web} {
			if got.ID != 7.0 || got.Error.Code != -32602 || !strings.HasPrefix(got.Error.Message, want) {
				t.Errorf("%s over %s: %+v, want %q", rest, over, got, want)
			}
		}
	}
	c.mustPing()
}
