//go:build integration && linux

package dashboard

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
)

// attack is a text that has an effect wherever a page takes it for HTML, an attribute, an address or
// a template, and that looks different from what it is.
const attack = `"'><img src=x onerror="window.hacked=1"><svg onload=window.hacked=1><script>window.hacked=1</script>` +
	`<a href="javascript:window.hacked=1">x</a>${window.hacked=1}{{7*7}}</textarea></style></title>` + "\u202egpj\u202c\u200b\U000e0041\x1b[31m"

// hostileIcons are an address, code in a picture, and a picture of one point.
var hostileIcons = []mcp.Icon{
	{Src: "https://icon.example/icon.png"},
	{Src: `data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"/>`))},
	{Src: "data:text/html;base64," + base64.StdEncoding.EncodeToString([]byte("<script>window.hacked=1</script>"))},
	{Src: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="},
}

// beHostile is the argument that makes the test binary a hostile MCP server.
const beHostile = "be-hostile"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == beHostile {
		os.Exit(serveHostile())
	}
	if len(os.Args) > 1 && os.Args[1] == beServer {
		os.Exit(mcpserver.Main())
	}
	os.Exit(m.Run())
}

// serveHostile runs an MCP server that puts the attack into every text that it sends.
func serveHostile() int {
	fmt.Fprintln(os.Stderr, attack)
	if len(os.Args) > 2 {
		return 1
	}
	s := server.NewMCPServer(attack, attack, server.WithTitle(attack), server.WithInstructions(attack), server.WithToolCapabilities(false), server.WithIcons(hostileIcons...))
	for i, name := range []string{"attack", "<img src=x onerror=window.hacked=1>"} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(attack), mcp.WithTitleAnnotation(attack)),
			func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultError(strings.Repeat(attack, i+1)), nil
			})
	}
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
