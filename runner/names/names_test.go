package names_test

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/names"
)

// TestIndicesOfNoServer holds that a script's process that has broken its own
// questions gets odd answers and nothing else: some engines ask in the gateway.
func TestIndicesOfNoServer(t *testing.T) {
	table := names.For(&runner.Names{Servers: []runner.ServerNames{{Ident: "demo", Server: "demo"}}}, nil)
	for _, server := range []int{names.None, names.Absent, -1 << 40, 1, 999, 1 << 40} {
		if got := table.Missing(server, "dem"); !strings.HasPrefix(got, "tools.dem does not exist") {
			t.Errorf("Missing(%d) = %q", server, got)
		}
		if got := table.ID(server, "x"); got != "" {
			t.Errorf("ID(%d) = %q, want none", server, got)
		}
		if server == names.None {
			continue
		}
		if got := table.Idents(server); len(got) != 0 {
			t.Errorf("Idents(%d) = %q, want none", server, got)
		}
	}
}
