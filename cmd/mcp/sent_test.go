package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
)

// failing is a gateway whose runs end with the error of a call.
type failing struct{ mcp.Gateway }

func (failing) Exec(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	return emit(toolscript.EndEvent("run_1", toolscript.End{Kind: toolscript.Threw, ExitCode: 1, Error: &toolscript.RunError{
		Name: "ToolError", Code: toolscript.Timeout, Message: "no answer", Tool: "shop__order", Sent: toolscript.SentUnknown,
	}}))
}

// TestRunScriptSaysWhetherACallWasSent: the error says so, so that the model checks before it repeats the call.
func TestRunScriptSaysWhetherACallWasSent(t *testing.T) {
	c := onStdio(t, mcp.Options{
		Gateway: func(context.Context) (mcp.Gateway, func(), error) { return failing{}, func() {}, nil },
		Error:   func(e *toolscript.RunError) string { return e.Message },
		Shown:   func(string, string, []byte) {},
	})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"await tools.shop.order({})"}}}`, "\n")
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if plain := strings.ReplaceAll(line, `\`, ""); !strings.Contains(plain, `"message":"no answer","sent":"unknown"`) {
		t.Errorf("the result is %s", line)
	}
}
