package codegen_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// TestServersThatAreNotConnected checks that all forms of a module have the servers
// that are not connected, with the reason and the tools that they listed last, if
// any.
func TestServersThatAreNotConnected(t *testing.T) {
	c := toolscript.NewCatalog(1, []string{"down", "my-old", "up", "quiet"}, []toolscript.Tool{
		{Server: "my-old", Name: "echo"}, {Server: "up", Name: "echo"},
	})
	away := map[string]string{"down": "failed: it said */ \n and\u2028 more", "my-old": "backoff: exit status 3"}
	none := toolscript.NewCatalog(1, []string{"down"}, nil)
	for form, want := range map[codegen.Form][2]string{
		codegen.Full:         {"down: {\n  },\n", "export const tools = {\n"},
		codegen.Compact:      {"down: {\n  };\n", "export declare const tools: {\n"},
		codegen.Declarations: {"down: any;\n", "export interface Servers {\n"},
	} {
		g := codegen.Generator{Away: away}
		text := g.Module(c, naming.New(c), codegen.Options{Form: form}).Text
		for _, part := range []string{
			want[0], "failed: it said *\\/ and more\n",
			"backoff: exit status 3\n", "Server my-old",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("form %d lacks %q:\n%s", form, part, text)
			}
		}
		if n := strings.Count(text, "Not connected"); n != 2 || strings.Contains(text, "quiet") {
			t.Errorf("form %d has %d servers that are not connected:\n%s", form, n, text)
		}
		alone := g.Module(none, naming.New(none), codegen.Options{Form: form}).Text
		for _, part := range []string{"// ", want[0], want[1]} {
			if !strings.Contains(alone, part) {
				t.Errorf("form %d without any tool lacks %q:\n%s", form, part, alone)
			}
		}
		g.Away = nil
		if text := g.Module(c, naming.New(c), codegen.Options{Form: form}).Text; strings.Contains(text, "Not connected") || strings.Contains(text, "down") {
			t.Errorf("form %d of connected servers:\n%s", form, text)
		}
	}
}
