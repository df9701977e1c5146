//go:build linux

// Command bench prints the figures of the README: medians and ratios, all
// measured in one run, against the built bin/toolscript and real MCP servers.
// Run it with `task bench`.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"

	"github.com/toolscript/toolscript/test/harness"
)

func main() {
	bin := flag.String("bin", "bin/toolscript", "the program to measure")
	peers := flag.String("peers", "test/node_modules/.bin", "the folder of the npm MCP servers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *bin, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, bin, peers string) error {
	b, err := newBench(bin, peers)
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Printf("%s/%s, %d cores, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, part := range []func(context.Context) error{b.types, b.arguments, b.start, b.memory, b.calls, b.scripts, b.load} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// bench is where the measured program lives for the time of the run.
type bench struct {
	harness.Program
	peers string // absolute
}

func newBench(bin, peers string) (*bench, error) {
	b := &bench{}
	var err error
	if b.Bin, err = filepath.Abs(bin); err != nil {
		return nil, err
	}
	if b.peers, err = filepath.Abs(peers); err != nil {
		return nil, err
	}
	for _, need := range []string{b.Bin, filepath.Join(b.peers, "mcp-server-everything")} {
		if _, err := os.Stat(need); err != nil {
			return nil, fmt.Errorf("%w; run it as `task bench`, which builds and fetches what it needs", err)
		}
	}
	if b.Home, err = os.MkdirTemp("", "toolscript-bench-"); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.Home) } // a leftover in the temporary folder harms nobody

// threeServers are the real servers that most figures are measured with.
func (b *bench) threeServers() (string, error) {
	return b.Config("three.json", fmt.Sprintf(
		`{"mcpServers":{"everything":{"command":%q,"args":["stdio"]},"filesystem":{"command":%q,"args":[%q]},"memory":{"command":%q,"env":{"MEMORY_FILE_PATH":%q}}}}`,
		filepath.Join(b.peers, "mcp-server-everything"), filepath.Join(b.peers, "mcp-server-filesystem"), b.Home,
		filepath.Join(b.peers, "mcp-server-memory"), filepath.Join(b.Home, "memory.jsonl")))
}
