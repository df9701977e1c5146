package naming_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

func TestSelection(t *testing.T) {
	servers := []toolscript.ServerStatus{
		{Name: "files", State: toolscript.Ready}, {Name: "gone", State: toolscript.Backoff, Error: "exit 3"}, {Name: "my-server", State: toolscript.Ready},
	}
	gone := toolscript.MissingServer{Name: "gone", State: toolscript.Backoff, Error: "exit 3"}
	c := toolscript.NewCatalog(1, []string{"files", "gone", "my-server"}, []toolscript.Tool{
		{Server: "files", Name: "read_file"}, {Server: "my-server", Name: "read-file"}, {Server: "my-server", Name: "echo"},
	})
	for filter, want := range map[string]naming.Selection{
		"":                {Missing: []toolscript.MissingServer{gone}},
		"files,gone":      {Missing: []toolscript.MissingServer{gone}},
		"my-server__echo": {},
		"gone__x":         {Missing: []toolscript.MissingServer{gone}, Unknown: []naming.UnknownEntry{{Entry: "gone__x", Server: &gone}}},
		"files,readFile":  {Unknown: []naming.UnknownEntry{{Entry: "readFile", Suggestions: []string{"files__read_file", "my-server__read-file"}}}},
		"tools.my_server.echo": {Unknown: []naming.UnknownEntry{
			{Entry: "tools.my_server.echo", Suggestions: []string{"my-server__echo"}},
		}},
		"my-server__ehco": {Unknown: []naming.UnknownEntry{{Entry: "my-server__ehco", Suggestions: []string{"my-server__echo"}}}},
		"my-sevrer":       {Unknown: []naming.UnknownEntry{{Entry: "my-sevrer", Suggestions: []string{"my-server"}}}},
		"quite-different": {Unknown: []naming.UnknownEntry{{Entry: "quite-different", Servers: []string{"files", "gone", "my-server"}}}},
	} {
		if diff := cmp.Diff(want, naming.NewSelection(toolscript.ParseFilter(filter), c, servers)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", filter, diff)
		}
	}
}
