package deno_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/deno"
)

// silentProcess names the case of a process that closes its output and continues.
const silentProcess = "nothing ever again"

// hostileMessages are messages of a process under the control of its script, and the
// expected error kind of the run.
var hostileMessages = map[string]struct {
	say  func() string
	want toolscript.Kind
}{
	"a length of 4 GB":                {func() string { return "\xff\xff\xff\xffox" }, toolscript.Internal},
	"a value of 4 GB":                 {func() string { return "\xff\xff\xff\xffvx" }, toolscript.LimitOutput},
	"an unknown message":              {func() string { return frame('!', "") }, toolscript.Internal},
	"ready a second time":             {func() string { return frame('r', "") }, toolscript.Internal},
	"a value that is no JSON":         {func() string { return frame('v', "{") }, toolscript.Internal},
	"a value 10,000 levels deep":      {func() string { return frame('v', strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)) }, toolscript.InvalidResult},
	"an exit code of its own":         {func() string { return frame('x', "256") }, toolscript.Internal},
	"a phase that is not its own":     {func() string { return frame('f', `{"phase":"checking","description":""}`) }, toolscript.Internal},
	"an error that is no description": {func() string { return frame('f', `{"phase":"executing","description":"{"}`) }, toolscript.Threw},
	"a trace of 100,000 frames":       {longTrace, toolscript.Threw},
	"an unknown question":             {func() string { return ask("exec", `"id"`) }, toolscript.Internal},
	"a question that is no JSON":      {func() string { return frame('?', "{") }, toolscript.Internal},
	"questions about no server": {func() string {
		return ask("missing", `999,"x"`) + ask("missing", `-7,"x"`) + ask("id", `999,"x"`) + ask("names", `999`) + ask("missing", `{},[]`) + ask("missing", ``) + frame('v', "1")
	}, ""},
	"questions of megabytes": {func() string {
		long := `"` + strings.Repeat("x", 8<<20) + `"`
		return ask("missing", `0,`+long) + ask("tool", `0,`+long) + ask("trace", long) + frame('v', "1")
	}, ""},
	"a call that is no JSON":       {func() string { return frame('c', "{\n{}") }, toolscript.Internal},
	"a call number twice":          {func() string { return call(1) + call(1) }, toolscript.Internal},
	"a call number of long ago":    {func() string { return call(5000) + call(6) }, toolscript.Internal},
	"a call with the number 0":     {func() string { return call(0) }, toolscript.Internal},
	"the end of no call":           {func() string { return frame('k', "7") + frame('k', "x") + frame('v', "1") }, ""},
	"answers that are not fetched": {func() string { return call(1) + call(2) + frame('v', "1") }, ""},
	"arguments that are no JSON":   {func() string { return frame('c', `{"call":1,"tool":"github__x"}`+"\n{") + frame('v', "1") }, ""},
	"text that is no UTF-8":        {func() string { return frame('o', "\xff") + frame('v', "1") }, ""},
	"half a message":               {func() string { return "\x09" }, toolscript.LimitTime},
	silentProcess:                  {func() string { return "" }, toolscript.Internal},
}

func frame(kind byte, payload string) string {
	header := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	return string(append(header, kind)) + payload
}

func ask(question, given string) string {
	return frame('?', `{"question":"`+question+`","given":[`+given+`]}`)
}

func call(n int) string { return frame('c', fmt.Sprintf(`{"call":%d,"tool":"github__x"}`+"\n{}", n)) }

func longTrace() string {
	described, _ := json.Marshal(map[string]string{ // marshaling strings cannot fail
		"name": "Error", "message": "m", "code": "threw", "stack": strings.Repeat("at f (script.ts:1:1)\n", 100_000),
	})
	said, _ := json.Marshal(map[string]string{"phase": "executing", "description": string(described)})
	return frame('f', string(said))
}

// beHostile replaces Deno. The code of its run names the message that it sends.
func beHostile() error {
	if _, err := io.WriteString(os.Stdout, frame('r', "")); err != nil {
		return err
	}
	var length [4]byte
	if _, err := io.ReadFull(os.Stdin, length[:]); err != nil {
		return err
	}
	var job struct{ Code string }
	if err := json.NewDecoder(io.LimitReader(os.Stdin, int64(binary.LittleEndian.Uint32(length[:])))).Decode(&job); err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, os.Stdin) }() // discards the answers
	if _, err := io.WriteString(os.Stdout, hostileMessages[job.Code].say()); err != nil {
		return err
	}
	if job.Code == silentProcess {
		_ = os.Stdout.Close() // only the closed output matters
	}
	select {} // until it is killed
}

// TestHostileProcess checks that messages of a process cannot harm the gateway or
// affect anything outside the run.
func TestHostileProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := deno.NewEngine(t.Context(), deno.Options{Executable: self, Folder: filepath.Join(t.TempDir(), "deno")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // the test removes the folder
	for name, test := range hostileMessages {
		t.Run(name, func(t *testing.T) {
			j := runner.Job{
				RunID: "run-1", File: "script.ts", Compiled: runner.Compiled{JavaScript: name}, Names: demoNames,
				Limits: toolscript.Limits{TimeoutMs: 30_000, ValueBytes: 24 << 20, MemoryMB: 96},
			}
			if test.want == toolscript.LimitTime {
				j.Limits.TimeoutMs = 300
			}
			out, err := start(t, e).Run(t.Context(), j, &host{})
			kind := toolscript.Kind("")
			if out.Err != nil {
				kind = out.Err.Code
			}
			if err != nil || kind != test.want {
				t.Errorf("Run = %+v, %v; want %q", out.Err, err, test.want)
			}
			if text := fmt.Sprint(out.Err); len(text) > 64<<10 {
				t.Errorf("the error passes %d bytes on", len(text))
			}
		})
	}
}
