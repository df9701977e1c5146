//go:build unix

package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// hostileCommand makes the test binary a sandbox that an attacker controls. The sandbox reports
// that it is ready, waits for a job, and then sends the message that its first argument names.
const hostileCommand = "__hostile"

func init() { testRoles[hostileCommand] = beHostile }

// Frame types as numbers on the wire.
const (
	readyFrame, runFrame, callFrame, stdoutFrame, wantStdinFrame, endFrame, cancelFrame = 1, 5, 7, 9, 11, 13, 17
)

func frame(kind byte, payload string) string {
	header := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	return string(append(header, kind)) + payload
}

func callOf(number uint32) string {
	head := append(binary.BigEndian.AppendUint32(nil, number), 0)
	head = binary.BigEndian.AppendUint32(head, uint32(len("demo__echo")))
	return frame(callFrame, string(head)+"demo__echo{}")
}

const good = `{"value":1}`

// hostileMessages are messages of such a sandbox and the expected error kind of the run.
var hostileMessages = map[string]struct {
	say  func() string
	want toolscript.Kind
}{
	"a length of 4 GB":              {func() string { return "\xff\xff\xff\xff\x07x" }, toolscript.Internal},
	"an unknown message":            {func() string { return frame(200, "{}") }, toolscript.Internal},
	"a message of the gateway":      {func() string { return frame(runFrame, "{}") }, toolscript.Internal},
	"ready a second time":           {func() string { return frame(readyFrame, "{}") }, toolscript.Internal},
	"a call without a header":       {func() string { return frame(callFrame, "") }, toolscript.Internal},
	"a call that is cut off":        {func() string { return frame(callFrame, "\x00\x00\x00\x01\x00\x00\x00") }, toolscript.Internal},
	"an id longer than its message": {func() string { return frame(callFrame, "\x00\x00\x00\x01\x00\xff\xff\xff\xffdemo__echo{}") }, toolscript.Internal},
	"cancelling without a number":   {func() string { return frame(cancelFrame, "1") }, toolscript.Internal},
	"two calls of one id":           {func() string { return callOf(1) + callOf(1) }, toolscript.Internal},
	"the end in the midst of calls": {func() string { return callOf(1) + frame(endFrame, good) }, ""},
	"cancelling what is no call":    {func() string { return frame(cancelFrame, "\x00\x00\x00\x09") + frame(endFrame, good) }, ""},
	"many wishes for input":         {func() string { return strings.Repeat(frame(wantStdinFrame, ""), 100_000) + frame(endFrame, good) }, ""},
	"text that is no UTF-8":         {func() string { return frame(stdoutFrame, "\xff\xfe") + frame(endFrame, good) }, ""},
	"an end that is no JSON":        {func() string { return frame(endFrame, "{") }, toolscript.Internal},
	"a message after the end":       {func() string { return frame(endFrame, good) + callOf(1) }, toolscript.Internal},
	"two ends":                      {func() string { return frame(endFrame, good) + frame(endFrame, good) }, toolscript.Internal},
	"an end of nothing":             {func() string { return frame(endFrame, "null") }, ""},
	"half a message":                {func() string { return frame(endFrame, good)[:7] }, toolscript.LimitTime},
	"nothing":                       {func() string { return "" }, toolscript.LimitTime},
}

// newEnds returns a worker's ends of its pipes.
func newEnds() io.ReadWriter {
	return struct {
		io.Reader
		io.Writer
	}{os.NewFile(3, "in"), os.NewFile(4, "out")}
}

func beHostile(args []string) int {
	gateway := newEnds()
	if _, err := io.WriteString(gateway, frame(readyFrame, "{}")); err != nil {
		return 1
	}
	if err := awaitJob(gateway); err != nil {
		return 1
	}
	if _, err := io.Copy(gateway, bytes.NewBufferString(hostileMessages[args[0]].say())); err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, gateway) // until the gateway closes the connection
	return 0
}

// awaitJob reads messages of the gateway up to the job. The names arrive before it.
func awaitJob(gateway io.Reader) error {
	for {
		var header [5]byte
		if _, err := io.ReadFull(gateway, header[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, gateway, int64(binary.BigEndian.Uint32(header[:4]))); err != nil {
			return err
		}
		if header[4] == runFrame {
			return nil
		}
	}
}

// TestHostileSandbox checks that messages of a sandbox cannot harm the gateway or affect anything
// outside the run.
func TestHostileSandbox(t *testing.T) {
	for name, test := range hostileMessages {
		t.Run(name, func(t *testing.T) {
			s, err := worker.StartSandbox(t.Context(), worker.Options{Args: []string{hostileCommand, name}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			h := &host{
				call: func(ctx context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
					if c.CallID != "1" {
						t.Errorf("the host was asked for call %.50q", c.CallID)
					}
					<-ctx.Done()
					return nil, &toolscript.ToolError{Code: toolscript.Cancelled}
				},
				stdin: func(context.Context) ([]byte, error) { return nil, nil },
			}
			job := newJob(t, "return 1")
			if test.want == toolscript.LimitTime {
				job.Limits.TimeoutMs = 300
			}
			outcome, err := s.Run(t.Context(), job, h)
			if kindOf(outcome) != test.want {
				t.Errorf("outcome = %+v, %v; want %q", outcome.Err, err, test.want)
			}
			if (err != nil) != (test.want != "") {
				t.Errorf("Run = %v: a sandbox is given up when it lies, and only then", err)
			}
			if err != nil {
				<-s.Done() // the pool does not lend the sandbox again
			}
			if outcome.Err != nil && len(outcome.Err.Message) > 300 {
				t.Errorf("the error passes %d bytes on", len(outcome.Err.Message))
			}
		})
	}
}

// These commands make the test binary a sandbox that stops reading: ignoreInputCommand stops when
// it is ready; closedInputCommand ends its run after the first bytes of an answer and then stops.
const (
	ignoreInputCommand = "__deaf"
	closedInputCommand = "__deafened"
)

func init() {
	testRoles[ignoreInputCommand] = func([]string) int { return ignoreInput(func(io.ReadWriter) error { return nil }) }
	testRoles[closedInputCommand] = func([]string) int {
		return ignoreInput(func(gateway io.ReadWriter) error {
			if err := awaitJob(gateway); err != nil {
				return err
			}
			if _, err := io.WriteString(gateway, callOf(1)); err != nil {
				return err
			}
			if _, err := io.ReadFull(gateway, make([]byte, 5)); err != nil {
				return err
			}
			_, err := io.WriteString(gateway, frame(endFrame, good))
			return err
		})
	}
}

// ignoreInput reports that the sandbox is ready, calls before, and then waits without reading.
func ignoreInput(before func(io.ReadWriter) error) int {
	gateway := newEnds()
	if _, err := io.WriteString(gateway, frame(readyFrame, "{}")); err != nil {
		return 1
	}
	if err := before(gateway); err != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.NewFile(5, "lifeline")) // until the gateway ends or closes the lifeline
	runtime.KeepAlive(gateway)                            // the collector closes files
	return 0
}

// TestSandboxThatIsKilledAtItsEnd checks that a sandbox is not lent again if it ended its run but
// had to be killed because it does not read.
func TestSandboxThatIsKilledAtItsEnd(t *testing.T) {
	s, err := worker.StartSandbox(t.Context(), worker.Options{Args: []string{closedInputCommand}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	answer := json.RawMessage(`"` + strings.Repeat("x", 8<<20) + `"`) // larger than a pipe's buffer
	outcome := sandboxRun(t, s, "return 1", &host{
		call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) { return answer, nil },
	})
	if string(outcome.Value) != "1" {
		t.Errorf("outcome = %s, %+v", outcome.Value, outcome.Err)
	}
	select {
	case <-s.Done():
	default:
		t.Error("a sandbox that is killed seems free for the next run")
	}
}

// TestSandboxThatDoesNotRead checks that the limits of a run apply even before the sandbox has read the job.
func TestSandboxThatDoesNotRead(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for want, ctx := range map[toolscript.Kind]context.Context{toolscript.LimitTime: t.Context(), toolscript.Cancelled: cancelled} {
		t.Run(string(want), func(t *testing.T) {
			s, err := worker.StartSandbox(t.Context(), worker.Options{Args: []string{ignoreInputCommand}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			job := newJob(t, "return 1")
			job.Compiled.JavaScript += "//" + strings.Repeat("x", 8<<20) // larger than a pipe's buffer
			if want == toolscript.LimitTime {
				job.Limits.TimeoutMs = 300
			}
			outcome, err := s.Run(ctx, job, &host{})
			if kindOf(outcome) != want || !errors.Is(err, worker.ErrKilled) {
				t.Errorf("Run = %+v, %v; want %s and %v", outcome.Err, err, want, worker.ErrKilled)
			}
			<-s.Done()
		})
	}
}

// TestDeepValues checks that a value with the maximum depth of Go's JSON decoder, which is too deep
// as part of a message, does not end the worker.
func TestDeepValues(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	s := startSandbox(t)
	for _, levels := range []int{5_000, 9_990, 9_998, 9_999, 10_000, 10_001, 20_000} {
		job := newJob(t, fmt.Sprintf("let v: any = []; for (let i = 1; i < %d; i++) v = [v]; return v", levels))
		job.Limits.TimeoutMs, job.Limits.CPUMs = 600_000, 600_000 // the engine searches for cycles in quadratic time
		outcome, err := s.Run(t.Context(), job, &host{})
		if err != nil {
			t.Fatalf("Run: %v", err)
		}
		if levels <= 9_990 && (outcome.Err != nil || len(outcome.Value) != 2*levels) {
			t.Errorf("%d levels: %d bytes, %+v", levels, len(outcome.Value), outcome.Err)
		}
		if kind := kindOf(outcome); levels > 9_998 && kind != toolscript.InvalidResult && kind != toolscript.LimitStack {
			t.Errorf("%d levels: %+v, want %s", levels, outcome.Err, toolscript.InvalidResult)
		}
	}
}
