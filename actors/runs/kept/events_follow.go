package kept

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// The time between two reads of a file grows while nothing is added.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// Follow calls emit with the events of a run from its start, in order. With wait it returns
// after the last event of the run, or when emit fails or ctx ends; else it returns after the
// last event that is stored. The error is NotFound if the run is not stored. If the last
// event is missing, because the gateway was killed or its disk was full, Follow adds one that says so.
func (s Events) Follow(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error {
	f, err := s.open(id)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	r := reader{in: bufio.NewReaderSize(f, 64<<10)}
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		added, ended, err := r.pass(emit)
		if err != nil || ended {
			return err
		}
		if !added && s.settle(id) {
			continue
		}
		if added {
			pause = firstLook
			continue
		}
		if !wait {
			return nil
		}
		select {
		case <-ctx.Done():
			return toolscript.ContextError(ctx)
		case <-time.After(pause):
		}
	}
}

func (s Events) open(id string) (*os.File, error) {
	missing := &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf(
		"there are no events of run %.50q: only those of detached runs are kept, and the oldest are deleted", id)}
	if s.Dir == "" || !runID().MatchString(id) {
		return nil, missing
	}
	f, err := os.Open(s.events(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	return f, err
}

// reader reads a file that grows.
type reader struct {
	in   *bufio.Reader
	rest []byte // the beginning of an incomplete line
}

// pass passes the stored events to emit. ended is true after the last event of the run.
func (r *reader) pass(emit func(toolscript.Event) error) (added, ended bool, err error) {
	for {
		text, err := r.in.ReadBytes('\n')
		r.rest = append(r.rest, text...)
		if errors.Is(err, io.EOF) {
			return added, false, nil
		}
		if err != nil {
			return added, false, err
		}
		e, err := decode(r.rest)
		r.rest, added = nil, true
		if err != nil {
			continue // the gateway was killed while it wrote this line
		}
		if err := emit(e); err != nil || e.Type == toolscript.EventEnd {
			return true, true, err
		}
	}
}

func decode(text []byte) (e toolscript.Event, err error) {
	err = json.Unmarshal(text, &e)
	if e.End != nil {
		e.End.OK = e.OK != nil && *e.OK // the JSON has ok only once
	}
	return e, err
}

// settle adds the last event of a run that has ended, if the gateway did not write it or its line break. It reports whether
// the file may have new events.
func (s Events) settle(id string) bool {
	unlock, err := files.TryLock(s.lock(id))
	if err != nil || unlock == nil {
		return false // the run goes on
	}
	defer func() {
		unlock()
		_ = os.Remove(s.lock(id))
	}()
	text, err := os.ReadFile(s.events(id))
	if err != nil {
		return false
	}
	last := text[bytes.LastIndexByte(bytes.TrimRight(text, "\n"), '\n')+1:]
	var end []byte // what the file lacks besides line breaks
	if e, err := decode(last); err != nil || e.Type != toolscript.EventEnd {
		if end, err = toolscript.PlainJSON(toolscript.EndEvent(id, lost(id))); err != nil {
			return false
		}
	} else if bytes.HasSuffix(text, []byte("\n")) {
		return true
	}
	f, err := os.OpenFile(s.events(id), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return false
	}
	_, err = fmt.Fprintf(f, "\n%s\n", end) // the previous line may be incomplete
	return errors.Join(err, f.Close()) == nil
}

// lost returns the End of a run whose gateway did not store one.
func lost(id string) toolscript.End {
	e := toolscript.Fail(toolscript.Unavailable, "the end of the script is not stored: the gateway was killed, has crashed or could not write to its disk, and calls that were in flight may have been carried out")
	e.Phase, e.ScriptID = toolscript.Executing, id
	return toolscript.End{Kind: e.Code, ExitCode: 1, Error: e}
}
