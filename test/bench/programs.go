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

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// computation is a program that reads its amount of work from size and stores a number in result, by
// which all engines are checked to compute the same.
type computation struct {
	name, short string // names for output at size and at small
	size, small int    // amounts of work; small takes the embedded engine about 10 ms
	code        string
}

var computations = []computation{
	{"fib(27)", "fib(21)", 27, 21, `
const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2);
const result = fib(size);`},
	{"sort of 200,000 numbers", "sort of 3,000 numbers", 200_000, 3000, `
let seed = 42;
const numbers = Array.from({ length: size }, () => (seed = (seed * 1103515245 + 12345) % 2147483648));
numbers.sort((a, b) => a - b);
const result = numbers[size / 2];`},
	{"JSON, a megabyte there and back", "JSON, 12 KB there and back", 10_000, 120, `
const records = Array.from({ length: size }, (_, i) => ({ id: i, name: "record " + i, tags: ["a", "b"], open: i % 2 === 0, at: { x: i / 3, y: -i } }));
let result = 0;
for (let round = 0; round < 5; round++) result += JSON.parse(JSON.stringify(records)).length;`},
	{"regular expressions over 400 KB", "regular expressions over 14 KB", 6000, 200, `
const text = "On 2026-01-02 somebody (name@example.org) paid 1,234.50 for 17 things. ".repeat(size);
const result = (text.match(/\d{4}-\d\d-\d\d/g) ?? []).length + (text.match(/[\w.]+@[\w.]+/g) ?? []).length + text.replace(/(\d+),(\d+)/g, "$1$2").length;`},
}

// sized returns the program with a size.
func (c computation) sized(size int) string { return fmt.Sprintf("const size = %d;", size) + c.code }

const programRounds = 7

// programs measures the CPU time of the same programs in Node, in Deno and in the embedded engine,
// alternating and without start-up.
func (b *bench) programs(ctx context.Context) error {
	sandbox, err := b.sandbox(ctx, b.Bin)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	for _, p := range computations {
		code := p.sized(p.size)
		var node, deno, ours []float64
		for range programRounds {
			n, expect, err := b.outside(ctx, code, "node")
			if err != nil {
				return err
			}
			d, inDeno, err := b.outside(ctx, code, b.deno, "run", "--no-config")
			if err != nil {
				return err
			}
			o, inSandbox, err := inside(ctx, sandbox, code)
			if err != nil {
				return err
			}
			if inDeno != expect || inSandbox != expect {
				return fmt.Errorf("%s gives %v on node, %v in Deno, %v here", p.name, expect, inDeno, inSandbox)
			}
			node, deno, ours = append(node, n), append(deno, d), append(ours, o)
		}
		show("CPU of "+p.name+", node", "ms", node, "")
		show("CPU of "+p.name+", Deno", "ms", deno, "")
		show("CPU of "+p.name+", here", "ms", ours, "")
	}
	return nil
}

// outside runs a program in a process that reports its CPU time, and returns that time in ms and the
// result of the program.
func (b *bench) outside(ctx context.Context, code, command string, args ...string) (ms, result float64, err error) {
	file := filepath.Join(b.Home, "program.mjs")
	text := "const begin = process.cpuUsage();" + code +
		"\nconst used = process.cpuUsage(begin);\nconsole.log(JSON.stringify({ ms: (used.user + used.system) / 1000, result }));"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, command, append(args, file)...)
	cmd.Env = append(os.Environ(), "DENO_DIR="+filepath.Join(b.Home, "deno-programs"), "NO_COLOR=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", command, err)
	}
	var said struct{ Ms, Result float64 }
	return said.Ms, said.Result, json.Unmarshal(out, &said)
}

func (b *bench) sandbox(ctx context.Context, executable string) (*worker.Sandbox, error) {
	return worker.StartSandbox(ctx, worker.Options{Executable: executable, CacheDir: filepath.Join(b.Home, filepath.Base(executable)+"-engine")})
}

// inside runs a program in the embedded engine, in a worker.
func inside(ctx context.Context, s *worker.Sandbox, code string) (ms, result float64, err error) {
	job, err := compiled(code + "\nreturn result;")
	if err != nil {
		return 0, 0, err
	}
	out, err := s.Run(ctx, job, idleHost{})
	if err != nil {
		return 0, 0, err
	}
	if out.Err != nil {
		return 0, 0, errors.New(out.Err.Message)
	}
	return out.Metrics.CPUMs, result, json.Unmarshal(out.Value, &result)
}

// idleHost is the host of a script in a worker that makes no requests.
type idleHost struct{}

func (idleHost) Begin(runner.Call, func(runner.Answer))    {}
func (idleHost) Cancel(string, error)                      {}
func (idleHost) CancelAll(error)                           {}
func (idleHost) Write(runner.Stream, string)               {}
func (idleHost) ReadStdin(context.Context) ([]byte, error) { return nil, nil }
