package quickjs_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
)

// silent is a host that answers every call at once.
type silent struct{ answers chan quickjs.Answer }

func (s silent) Call(c runner.Call)          { s.answers <- quickjs.Answer{CallID: c.CallID, Value: c.Args} }
func (s silent) Cancel(string)               {}
func (s silent) Write(runner.Stream, string) {}
func (s silent) ReadStdin()                  {}
func (s silent) Idle(int)                    {}
func (s silent) Poll()                       {}

func (s silent) Next(context.Context, time.Duration) (quickjs.Answer, bool) { return <-s.answers, true }

func benchmark(b *testing.B, text string) {
	b.Helper()
	vm, h := newVM(b), silent{make(chan quickjs.Answer, 64)}
	job := script(text)
	b.ReportAllocs()
	for b.Loop() {
		if out := vm.Run(b.Context(), job, h); out.Err != nil {
			b.Fatal(out.Err)
		}
		if err := vm.Reset(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmptyRun(b *testing.B) { benchmark(b, ``) }

func BenchmarkOneCall(b *testing.B) {
	benchmark(b, imports+`export default await tools.github.createIssue({title: "x"})`)
}

func BenchmarkHundredCalls(b *testing.B) {
	benchmark(b, imports+`for (let i = 0; i < 100; i++) await tools.github.createIssue({i})`)
}

func BenchmarkConsoleLog(b *testing.B) {
	benchmark(b, `for (let i = 0; i < 100; i++) console.log({i, tags: ["a", "b"]})`)
}

func BenchmarkNewVM(b *testing.B) {
	for b.Loop() {
		vm, err := engine.NewVM(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := vm.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
func BenchmarkLocaleCompare(b *testing.B) {
	benchmark(b, `const l = Array.from({length: 1000}, (_, i) => "name " + (i * 7919 % 1000)); for (let i = 0; i < 10; i++) [...l].sort((a, b) => a.localeCompare(b));`)
}

func BenchmarkNumberToLocaleString(b *testing.B) {
	benchmark(b, `for (let i = 0; i < 1000; i++) (i + 0.5).toLocaleString();`)
}

func BenchmarkDateToLocaleString(b *testing.B) {
	benchmark(b, `const d = new Date(0); for (let i = 0; i < 1000; i++) d.toLocaleString("de", { timeZone: "Europe/Berlin", dateStyle: "medium" });`)
}

func BenchmarkDateToString(b *testing.B) {
	benchmark(b, `const d = new Date(0); for (let i = 0; i < 1000; i++) d.toString();`)
}
