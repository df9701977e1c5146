package logfile

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// followEvery is the time between two checks of a log for new text.
const followEvery = 200 * time.Millisecond

// Follow opens a log like Open. At the end of the text, reads wait for more, until running
// returns false. If ctx ends, the error of a read is the cause of ctx.
func Follow(ctx context.Context, path string, running func() bool) (io.ReadCloser, error) {
	newer, err := os.Open(path) //nolint:gosec // the path is the program's own
	if err != nil {
		return nil, err
	}
	added := &tail{ctx: ctx, file: newer, running: running}
	old, err := os.Open(path + older) //nolint:gosec // as above
	if err != nil {
		return &parts{added, []io.Closer{newer}}, nil //nolint:nilerr // there is seldom an older part
	}
	return &parts{io.MultiReader(old, added), []io.Closer{old, newer}}, nil
}

// tail reads a growing file. A Writer empties the file when it is full.
type tail struct {
	ctx     context.Context //nolint:containedctx // for reads, which have no context of their own
	file    *os.File
	at      int64
	ended   bool
	running func() bool
}

// Read implements io.Reader.
func (t *tail) Read(p []byte) (int, error) {
	for {
		n, err := t.file.ReadAt(p, t.at)
		t.at += int64(n)
		if n > 0 {
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if info, err := t.file.Stat(); err != nil {
			return 0, err
		} else if info.Size() < t.at {
			t.at = 0
			continue
		}
		if t.ended {
			return 0, io.EOF
		}
		if t.ended = !t.running(); t.ended {
			continue // the writer may have added text before it ended
		}
		select {
		case <-time.After(followEvery):
		case <-t.ctx.Done():
			return 0, context.Cause(t.ctx)
		}
	}
}
