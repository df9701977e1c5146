//go:build linux

// Command bench prints the figures of the README: medians and ratios of one run, with
// the built bin/toolscript and real MCP servers. Run it with `task bench`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/harness"
)

// asServer is the argument that makes this program an MCP server whose answers need very little work.
const asServer = "be-a-server"

func main() {
	if slices.Contains(os.Args[1:], asServer) {
		os.Exit(mcpserver.Main())
	}
	if slices.Contains(os.Args[1:], asEcho) {
		echo()
		return
	}
	if is, err := role(os.Args[1:]); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	bin := flag.String("bin", "bin/toolscript", "the program to measure")
	peers := flag.String("peers", "test/node_modules/.bin", "the folder of the npm MCP servers")
	deno := flag.String("deno", "test/node_modules/@deno/linux-x64-glibc/deno", "the Deno to compare with")
	only := flag.String("only", "", "sections to run, separated by commas: "+strings.Join(names(), ", ")+" (default all)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *bin, *peers, *deno); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// role reports whether the arguments select another role of this program, and runs that role.
func role(args []string) (is bool, err error) {
	switch {
	case len(args) == 1 && args[0] == asNATS:
		return true, runNATS()
	case len(args) == 2 && args[0] == asHub:
		return true, runHub(args[1])
	case len(args) == 2 && args[0] == asFleetHub:
		return true, runFleetHub(args[1])
	}
	return false, nil
}

// sections are the parts of the benchmark, in the order of the output.
var sections = []struct {
	name    string
	measure func(*bench, context.Context) error
}{
	{"types", (*bench).types},
	{"arguments", (*bench).arguments},
	{"detector", (*bench).detector},
	{"workspace", (*bench).workspace},
	{"openapi", (*bench).openapi},
	{"convert", (*bench).convert},
	{"call", (*bench).call},
	{"start", (*bench).start},
	{"memory", (*bench).memory},
	{"idle", (*bench).idleGateway},
	{"rest", (*bench).rest},
	{"confine", (*bench).confine},
	{"calls", (*bench).calls},
	{"shared", (*bench).shared},
	{"pool", (*bench).pool},
	{"scripts", (*bench).scripts},
	{"load", (*bench).load},
	{"reset", (*bench).reset},
	{"runs", (*bench).runs},
	{"fresh", (*bench).fresh},
	{"answers", (*bench).answers},
	{"data", (*bench).data},
	{"path", (*bench).path},
	{"peer", (*bench).peer},
	{"allocations", (*bench).allocations},
	{"approvals", (*bench).approvals},
	{"audit", (*bench).audit},
	{"metrics", (*bench).metrics},
	{"events", (*bench).events},
	{"replay", (*bench).replay},
	{"check", (*bench).check},
	{"programs", (*bench).programs},
	{"fuel", (*bench).fuel},
	{"shell", (*bench).shell},
	{"hooks", (*bench).hooks},
	{"agents", (*bench).agents},
	{"queries", (*bench).queries},
	{"cold", (*bench).cold},
	{"indexing", (*bench).indexing},
	{"released", (*bench).released},
}

func names() (all []string) {
	for _, s := range sections {
		all = append(all, s.name)
	}
	return all
}

func run(ctx context.Context, only, bin, peers, deno string) error {
	wanted := names()
	if only != "" {
		wanted = strings.Split(only, ",")
	}
	for _, name := range wanted {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("no section %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	b, err := newBench(bin, peers, deno)
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Printf("%s/%s, %d cores, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, section := range sections {
		if !slices.Contains(wanted, section.name) {
			continue
		}
		if err := section.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

// bench holds the paths of the measured program and of the programs that it is compared with.
type bench struct {
	harness.Program
	self  string // path of this program
	peers string // absolute path of the npm programs
	deno  string // absolute path of Deno
}

func newBench(bin, peers, deno string) (*bench, error) {
	b := &bench{}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.Bin, err = filepath.Abs(bin); err != nil {
		return nil, err
	}
	if b.peers, err = filepath.Abs(peers); err != nil {
		return nil, err
	}
	if b.deno, err = filepath.Abs(deno); err != nil {
		return nil, err
	}
	for _, need := range []string{b.Bin, b.deno, filepath.Join(b.peers, "mcp-server-everything")} {
		if _, err := os.Stat(need); err != nil {
			return nil, fmt.Errorf("%w; run it as `task bench`, which builds and fetches what it needs", err)
		}
	}
	if b.Home, err = os.MkdirTemp("", "toolscript-bench-"); err != nil {
		return nil, err
	}
	return b, nil
}

// gateway starts a gateway and waits until its servers are ready.
func (b *bench) gateway(ctx context.Context, config string, args ...string) (*harness.Gateway, error) {
	g, err := b.StartGateway(ctx, append([]string{"--config", config}, args...)...)
	if err != nil {
		return nil, err
	}
	if err := g.Ready(ctx); err != nil {
		return nil, errors.Join(err, g.Stop())
	}
	return g, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.Home) } // files left in the temporary folder do no harm

// threeServers configures the real servers that most figures use.
func (b *bench) threeServers() (string, error) {
	return b.Config("three.json", fmt.Sprintf(
		`{"mcpServers":{"everything":{"command":%q,"args":["stdio"]},"filesystem":{"command":%q,"args":[%q]},"memory":{"command":%q,"env":{"MEMORY_FILE_PATH":%q}}}}`,
		filepath.Join(b.peers, "mcp-server-everything"), filepath.Join(b.peers, "mcp-server-filesystem"), b.Home,
		filepath.Join(b.peers, "mcp-server-memory"), filepath.Join(b.Home, "memory.jsonl")))
}
