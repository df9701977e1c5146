//go:build linux

// Command fleettable starts many gateways with the same stdio servers, once with own servers and once
// with shared ones, and prints one table with their processes, their private memory and the time
// until all of them are ready. Run it with `task fleet-table`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/harness"
)

// asServer is the argument that makes this program an MCP server.
const asServer = "be-a-server"

func main() {
	if len(os.Args) > 1 && os.Args[1] == asServer {
		os.Exit(mcpserver.Main())
	}
	var s setting
	flag.IntVar(&s.gateways, "gateways", 20, "number of gateways")
	flag.IntVar(&s.servers, "servers", 5, "number of servers of each gateway")
	bin := flag.String("bin", "bin/toolscript", "the program to measure")
	peers := flag.String("peers", "test/node_modules/.bin", "the folder of the npm MCP servers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := prepareAndRun(ctx, s, *bin, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "fleettable:", err)
		os.Exit(1)
	}
}

func prepareAndRun(ctx context.Context, s setting, bin, peers string) (err error) {
	if s.base, err = os.MkdirTemp("", "fleettable-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.base) //nolint:errcheck // files left in the temporary folder do no harm
	if s.self, err = os.Executable(); err != nil {
		return err
	}
	if s.peers, err = filepath.Abs(peers); err != nil {
		return err
	}
	s.bin = filepath.Join(s.base, "toolscript") // a copy, by which the processes of this measurement are recognized
	if err := copyProgram(s.bin, bin); err != nil {
		return fmt.Errorf("%w; run it as `task fleet-table`, which builds the program", err)
	}
	return run(ctx, s, os.Stdout)
}

func copyProgram(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, text, 0o700), harness.Uncache(to))
}

// run measures both kinds and prints the table.
func run(ctx context.Context, s setting, out io.Writer) error {
	own, err := s.measure(ctx, false)
	if err != nil {
		return fmt.Errorf("own servers: %w", err)
	}
	shared, err := s.measure(ctx, true)
	if err != nil {
		return fmt.Errorf("shared servers: %w", err)
	}
	show := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) } // an error of the terminal does not matter
	show("%d gateways with %d servers: %q\n\n", s.gateways, s.servers, s.names())
	show("| | own servers | shared servers | ratio | goal |\n|---|---|---|---|---|\n")
	row := func(what string, a, b float64, digits, goal int) {
		ratio, reached := "", ""
		if a > 0 && b > 0 {
			ratio = fmt.Sprintf("1/%.1f", a/b)
		}
		if goal > 0 {
			reached = fmt.Sprintf("≤ 1/%d: reached", goal)
			if b*float64(goal) > a {
				reached = fmt.Sprintf("≤ 1/%d: **missed**", goal)
			}
		}
		show("| %s | %.*f | %.*f | %s | %s |\n", what, digits, a, digits, b, ratio, reached)
	}
	for _, of := range slices.Concat(kinds, []string{kindServing, kindAll}) {
		a, b, goal := own.used[of], shared.used[of], goals[of]
		row("processes: "+of, float64(a.processes), float64(b.processes), 0, goal.processes)
		row("private memory: "+of+", MB", a.private, b.private, 0, goal.private)
	}
	row("time until all gateways are ready, s", own.ready.Seconds(), shared.ready.Seconds(), 1, 0)
	return nil
}
