package mcpclient_test

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestStartedCallEndsOnce(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	stopped := &toolscript.Error{Kind: toolscript.Cancelled}
	ended := make(chan error, 2)
	call := c.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "sleep", Args: json.RawMessage(`{"ms":600000}`), Done: func(_ json.RawMessage, err error) { ended <- err }})
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() { call.Cancel("enough", stopped) })
	}
	group.Wait()
	if err := <-ended; toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("error = %v, want cancelled", err)
	}
	if got := text(t, c, "echo", `{"text":"next"}`); got != "next" || len(ended) > 0 {
		t.Errorf("echo = %q, and the call ended %d times more", got, len(ended))
	}
}

var frameFile = regexp.MustCompile(`(?m)^\t\S*?((?:transport|internal)/\S+\.go):\d+`)

// TestPathOfAnAnswerIsListed checks that CONTRIBUTING.md lists the files of this package that pass on
// the answer of a server, as part of the path of one exec.
func TestPathOfAnAnswerIsListed(t *testing.T) {
	list, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	stack := make(chan string, 1)
	dial(t, config(t), upstream.Events{}).Start(upstream.ToolCall{
		Ctx: t.Context(), Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(json.RawMessage, error) { stack <- string(debug.Stack()) },
	})
	text := <-stack
	found := 0
	for _, frame := range frameFile.FindAllStringSubmatch(text, -1) {
		file := frame[1]
		if !strings.HasPrefix(file, "transport/mcpclient/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		found++
		if !strings.Contains(string(list), "\n* `"+file+"` ") {
			t.Errorf("%s is on the stack, and not in the path that CONTRIBUTING.md lists:\n%s", file, text)
		}
	}
	if found == 0 {
		t.Errorf("no file of this package is on the stack:\n%s", text)
	}
}
