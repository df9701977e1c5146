package quickjs_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
)

type h struct{ a chan quickjs.Answer }

func (h *h) Call(c runner.Call) {
	fmt.Println("CALL", c.CallID, c.ID, string(c.Args))
	go func() { h.a <- quickjs.Answer{CallID: c.CallID, Value: c.Args} }()
}
func (h *h) Write(s runner.Stream, t string) { fmt.Printf("%d> %s", s, t) }
func (h *h) ReadStdin()                      { h.a <- quickjs.Answer{StdinEOF: true} }
func (h *h) Answers() <-chan quickjs.Answer  { return h.a }

func TestTry(t *testing.T) {
	dir := "/tmp/qjscache"
	os.MkdirAll(dir, 0o700)
	s := time.Now()
	e, err := quickjs.NewEngine(t.Context(), quickjs.Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("engine", time.Since(s))
	s = time.Now()
	v, err := e.NewVM(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("vm", time.Since(s))
	src, _ := os.ReadFile("/tmp/try.js")
	for range 2 {
		s = time.Now()
		out := v.Run(t.Context(), runner.Job{RunID: "r", File: "script.ts", Compiled: runner.Compiled{JavaScript: string(src)}, TZ: "America/New_York",
			Limits: toolscript.Limits{TimeoutMs: 2000},
			Names:  &runner.Names{Key: "k", Servers: []runner.ServerNames{{Ident: "github", Server: "github", Tools: []runner.ToolNames{{Ident: "createIssue", ID: "github__create_issue"}}}}},
		}, &h{make(chan quickjs.Answer, 10)})
		fmt.Println("run", time.Since(s))
		fmt.Printf("%+v %s %+v\n", out, out.Value, out.Err)
		s = time.Now()
		v.Reset(t.Context())
		fmt.Println("reset", time.Since(s))
	}
}
