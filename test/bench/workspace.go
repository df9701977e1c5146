//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// workspace measures built-in tools: reading a file, and searching 10,000 files of 4 KB, compared
// with ripgrep alone if it is installed.
func (b *bench) workspace(ctx context.Context) error {
	root := filepath.Join(b.Home, "workspace")
	if err := manyFiles(root); err != nil {
		return err
	}
	conn, err := builtin.Dialer{Host: upstream.Host{StateDir: filepath.Join(b.Home, "state")}}.Dial(ctx, "workspace",
		upstream.Config{Type: upstream.Builtin, Root: root, Tools: []string{"readFile", "grepFiles"}}, upstream.Events{})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // only read, so an error is harmless
	var reads []float64
	for range 200 {
		took, err := callBuiltin(ctx, conn, "readFile", `{"filePath": "long.txt"}`)
		if err != nil {
			return err
		}
		reads = append(reads, took)
	}
	show("readFile of 2,000 lines, 100 KB", "ms", reads, "≤ 1")
	return b.grepping(ctx, conn, root)
}

// grepping alternates searches of the tool with searches of ripgrep.
func (b *bench) grepping(ctx context.Context, conn *builtin.Conn, root string) error {
	ripgrep, _ := exec.LookPath("rg") // optional
	for _, search := range []struct{ what, pattern string }{{"in 5 of 10,000 files", "needle[0-9]+"}, {"in all of 10,000 files", "return [a-z]+"}} {
		var tools, alone []float64
		for range 15 {
			took, err := callBuiltin(ctx, conn, "grepFiles", fmt.Sprintf(`{"pattern": %q}`, search.pattern))
			if err != nil {
				return err
			}
			tools = append(tools, took)
			if ripgrep == "" {
				continue
			}
			c := exec.CommandContext(ctx, ripgrep, "--files-with-matches", search.pattern, ".")
			c.Dir = root
			begin := time.Now()
			if err := c.Run(); err != nil {
				return fmt.Errorf("ripgrep: %w", err)
			}
			alone = append(alone, milliseconds(time.Since(begin)))
		}
		if ripgrep == "" {
			show("grepFiles, a match "+search.what+", without ripgrep", "ms", tools, "")
			continue
		}
		show("grepFiles, a match "+search.what, "ms", tools, "")
		show("ripgrep, the same", "ms", alone, "")
		showRatio("ratio", median(tools), median(alone), "≤ 1.5")
	}
	return nil
}

// manyFiles writes the files for the search.
func manyFiles(root string) error {
	text := strings.Repeat("func handle(request *Request) error {\n\treturn nil\n}\n", 80)
	for i := range 10_000 {
		dir := filepath.Join(root, fmt.Sprintf("d%02d", i%100))
		content := text
		if i%2000 == 0 {
			content += fmt.Sprintf("needle%d\n", i)
		}
		if err := errors.Join(os.MkdirAll(dir, 0o750), os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(content), 0o600)); err != nil {
			return err
		}
	}
	line := "a line of fifty characters for the figure of reads"
	return os.WriteFile(filepath.Join(root, "long.txt"), []byte(strings.Repeat(line+"\n", 2000)), 0o600)
}

// callBuiltin calls a built-in tool and returns the time in milliseconds.
func callBuiltin(ctx context.Context, conn *builtin.Conn, name, args string) (float64, error) {
	var result json.RawMessage
	var failed error
	done := make(chan struct{})
	begin := time.Now()
	conn.Start(upstream.ToolCall{Ctx: ctx, Tool: name, Args: json.RawMessage(args), Done: func(r json.RawMessage, err error) {
		result, failed = r, err
		close(done)
	}})
	<-done
	took := milliseconds(time.Since(begin))
	if failed == nil && strings.Contains(string(result), `"isError"`) {
		failed = fmt.Errorf("%s: %s", name, result)
	}
	return took, failed
}
