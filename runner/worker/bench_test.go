package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

func BenchmarkRun(b *testing.B) {
	const calls = 100
	for name, code := range map[string]string{
		"empty":     "return 1",
		"one call":  "return tools.demo.echo({ a: 1 })",
		"100 calls": fmt.Sprintf("for (let i = 0; i < %d; i++) await tools.demo.echo({ i })", calls),
	} {
		b.Run(name, func(b *testing.B) {
			s, h, job := startSandbox(b), &host{}, newJob(b, code)
			for b.Loop() {
				outcome, err := s.Run(b.Context(), job, h)
				if err != nil || outcome.Err != nil {
					b.Fatal(err, outcome.Err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	c, err := worker.StartChecker(b.Context(), worker.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	code := "import { tools } from 'toolscript';\n" + strings.Repeat("const r: any = await tools.demo.echo({ a: 1 });\n{ let x = r; }\n", 1)
	for b.Loop() {
		if _, found, err := c.Compile(b.Context(), runner.Source{Code: code}); err != nil || len(found) > 0 {
			b.Fatal(err, found)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	startSandbox(b) // fills the cache
	for b.Loop() {
		s, err := worker.StartSandbox(b.Context(), worker.Options{CacheDir: cacheDir})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
