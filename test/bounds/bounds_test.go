//go:build linux

// Package bounds tests the built program against clients and servers that try to exhaust its resources.
// The program is built without the race detector, which would multiply the memory that is measured here.
package bounds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/harness"
)

// bin is the path of the program under test.
var bin string

// asServer is the argument that makes this program an MCP server.
const asServer = "be-a-server"

func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], asServer) {
		os.Exit(mcpserver.Main())
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "toolscript-bounds-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if bin = os.Getenv("TOOLSCRIPT_BOUNDS_BIN"); bin == "" {
		bin = filepath.Join(dir, "toolscript")
		if err := harness.Build(bin, false); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if err := harness.Uncache(bin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// start starts a gateway with a configuration and stops it at the end of the test.
func start(t *testing.T, program, config string, args ...string) *harness.Gateway {
	t.Helper()
	p := harness.Program{Bin: program, Home: t.TempDir()}
	path, err := p.Config("config.json", config)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), append([]string{"--config", path}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var exit *exec.ExitError
		if err := g.Stop(); err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
			t.Errorf("the gateway ended with %v", err)
		}
		if t.Failed() {
			log := g.Log()
			t.Logf("the end of the gateway's log:\n%s", log[max(0, len(log)-4000):])
		}
	})
	if err := g.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// resident returns the memory of a process in MB.
func resident(t *testing.T, pid int) float64 {
	t.Helper()
	mb, err := harness.RSS(pid)
	if err != nil {
		t.Fatal(err)
	}
	return mb
}
