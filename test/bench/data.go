//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// echoServer starts a gateway with this program as its only server, and executes one
// run.
func (b *bench) echoServer(ctx context.Context, switches ...string) (*harness.Gateway, error) {
	args := `"` + strings.Join(append([]string{asServer}, switches...), `","`) + `"`
	config, err := b.Config("echo.json", fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%s]}}}`, b.self, args))
	if err != nil {
		return nil, err
	}
	g, err := b.gateway(ctx, config)
	if err != nil {
		return nil, err
	}
	if _, err := ran(ctx, g, map[string]any{"code": echoCall}); err != nil {
		return nil, errors.Join(err, g.Stop())
	}
	return g, nil
}

// fresh measures scripts with new text and one call in a warm gateway.
func (b *bench) fresh(ctx context.Context) error {
	g, err := b.echoServer(ctx)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	for _, of := range []struct{ check, want string }{{"off", "≤ 5"}, {"warn", "≤ 9"}} {
		var times []float64
		for i := range 230 {
			code := fmt.Sprintf("%s; // %s %d", echoCall, of.check, i)
			begin := time.Now()
			if _, err := ran(ctx, g, map[string]any{"code": code, "check": of.check}); err != nil {
				return err
			}
			if i >= 30 { // after the warm-up
				times = append(times, milliseconds(time.Since(begin)))
			}
		}
		show("POST /exec, new text and one call, check "+of.check, "ms", times, of.want)
	}
	var command []float64
	for i := range 40 {
		begin := time.Now()
		if _, err := b.execAt(ctx, g, nil, fmt.Sprintf("%s; // %d", echoCall, i)); err != nil {
			return err
		}
		command = append(command, milliseconds(time.Since(begin)))
	}
	show("  the same by the command exec, with its start", "ms", command, "")
	return nil
}

// data measures runs with large data that the toolscript command starts.
func (b *bench) data(ctx context.Context) error {
	g, err := b.echoServer(ctx, "records")
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	input := filepath.Join(b.Home, "lines")
	if err := os.WriteFile(input, bytes.Repeat([]byte("a line of standard input, which is neither short nor long\n"), 200_000), 0o600); err != nil {
		return err
	}
	for _, of := range []struct{ what, input, code, answer, want string }{
		{"200,000 lines of standard input", input, `let n = 0; for await (const line of stdin.lines()) n += line.length; return n`, "11400000", "≤ 500"},
		{"an answer of 5 MB filtered in the script", "", `const all = await tools.s.records(); return all.filter((r) => r.id % 1000 === 0).length`, "50", "≤ 350"},
		{"the same answer returned", "", `return await tools.s.records()`, "", "≤ 350"},
	} {
		if err := b.passes(ctx, g, of.what, of.input, of.code, of.answer, of.want); err != nil {
			return fmt.Errorf("%s: %w", of.what, err)
		}
	}
	return nil
}

func (b *bench) passes(ctx context.Context, g *harness.Gateway, what, input, code, answer, want string) error {
	var times []float64
	for i := range 13 {
		var stdin io.Reader
		if input != "" {
			file, err := os.Open(input)
			if err != nil {
				return err
			}
			defer file.Close() //nolint:errcheck // opened for reading
			stdin = file
		}
		begin := time.Now()
		out, err := b.execAt(ctx, g, stdin, code)
		if err != nil {
			return err
		}
		took := milliseconds(time.Since(begin))
		if text := strings.TrimSpace(string(out)); answer != "" && text != answer || answer == "" && len(text) < 5_000_000 {
			return fmt.Errorf("it printed %.100s (%d bytes), want %q", text, len(text), answer)
		}
		if i >= 3 { // after the warm-up
			times = append(times, took)
		}
	}
	show(what, "ms", times, want)
	return nil
}

// execAt runs a script through a gateway with the toolscript command, and returns its output.
func (b *bench) execAt(ctx context.Context, g *harness.Gateway, stdin io.Reader, code string) ([]byte, error) {
	cmd := b.Command(ctx, "exec", code)
	cmd.Env = append(cmd.Env, "TOOLSCRIPT_GATEWAY_URL="+g.URL)
	cmd.Stdin = stdin
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return out, err
}
