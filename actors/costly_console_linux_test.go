package actors_test

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
)

// longLine is the length of the printed line without its newline.
const longLine = 16 << 20

// hostileCommand makes the test program a sandbox under the control of its script.
const hostileCommand = "__hostile"

// TestMain makes the test program a worker if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case worker.Command:
			os.Exit(worker.Main(os.Args[2:]))
		case hostileCommand:
			os.Exit(sendLongLine(os.NewFile(3, "in"), os.NewFile(4, "out")))
		}
	}
	os.Exit(m.Run())
}

// sendLongLine is a sandbox that answers each run with one frame of a long line and
// then the end of the run.
func sendLongLine(in io.Reader, out io.Writer) int {
	const ready, run, stdout, end = 1, 5, 9, 13 // frame types
	send := func(kind byte, payload string) error {
		header := append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))), kind)
		_, err := io.WriteString(out, string(header)+payload)
		return err
	}
	err := send(ready, "{}")
	for err == nil {
		var header [5]byte
		if _, err = io.ReadFull(in, header[:]); err != nil {
			break
		}
		if _, err = io.CopyN(io.Discard, in, int64(binary.BigEndian.Uint32(header[:4]))); err != nil || header[4] != run {
			continue
		}
		if err = send(stdout, strings.Repeat("x", longLine)+"\n"); err == nil {
			err = send(end, `{"value":1}`)
		}
	}
	return 0 // the gateway ends the process
}

// costlyConsole maps names to the arguments of the sandboxes that print a long line.
func costlyConsole() map[string][]string {
	return map[string][]string{"a script": nil, "a hostile sandbox": {hostileCommand}}
}

// printLongLine runs a script that prints a long line, with the default output limit
// and with a lower one.
func printLongLine(t *testing.T, sandbox []string) {
	t.Helper()
	cache := t.TempDir()
	s := startWith(t, actors.Options{Scripts: actors.Scripts{
		StartChecker: func(ctx context.Context) (workers.Worker, error) {
			return worker.StartChecker(ctx, worker.Options{})
		},
		StartSandbox: func(ctx context.Context) (workers.Worker, error) {
			return worker.StartSandbox(ctx, worker.Options{Args: sandbox, CacheDir: cache})
		},
		KeptDir: t.TempDir(),
	}})
	for _, limit := range []int64{longLine, 1 << 20} {
		var passed int64
		var notice strings.Builder
		var end toolscript.End
		err := s.Exec(t.Context(), toolscript.ExecRequest{
			Code:   `console.log("x".repeat(16 << 20)); return 1`,
			Limits: toolscript.Limits{OutputBytes: limit},
			Rules:  toolscript.Rules{Check: toolscript.CheckOff},
		}, func(e toolscript.Event) error {
			switch e.Type {
			case toolscript.EventStdout:
				passed += int64(len(e.Data))
			case toolscript.EventStderr:
				notice.WriteString(e.Data)
			case toolscript.EventEnd:
				end = *e.End
			default: // no output
			}
			return nil
		})
		if err != nil || !end.OK {
			t.Fatalf("limit of %d bytes: %+v, %v", limit, end, err)
		}
		// The gateway adds a newline after the cut.
		if passed != limit+1 || !strings.Contains(notice.String(), "cut") {
			t.Errorf("limit of %d bytes: %d passed on, %.200q", limit, passed, notice.String())
		}
		if kept := end.Kept; kept == nil || kept.OutputBytes != longLine+1-limit {
			t.Errorf("limit of %d bytes: kept %+v, want the other %d bytes", limit, kept, longLine+1-limit)
		}
	}
}
