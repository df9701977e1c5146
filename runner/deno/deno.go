// Package deno runs scripts on Deno, where it is installed. Every run has a
// process of its own, which is started ahead, runs one script and is gone, with
// the folder that held its caches: nothing stays for the next run.
//
// A process may reach one port and nothing else: the Engine's own door, which
// knows the capabilities of its processes, answers tool calls and standard input
// through the run's Host, and has no other routes. What a script could do to the
// gateway's own API it cannot even try.
//
// The script is no file: a constant loader, the only module whose static imports
// Deno would read without asking, imports it as a Blob. The loader runs the same
// prelude as QuickJS, so that a script prints, throws and finds the same on both
// engines.
package deno

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// HeapMB is the JavaScript heap of a process. A run may ask for less.
const HeapMB = 96

// Options say how an engine is made.
type Options struct {
	Executable string // of Deno itself, not of a script that starts it
	// Folder is where processes keep what Deno must write: private to the user,
	// and used by this package alone. Empty: one in the system's temporary folder.
	Folder string
	Log    *slog.Logger // nil: slog.Default()
}

// Engine starts processes that run scripts. It is safe for concurrent use.
type Engine struct {
	options Options
	door    *door
	scratch *scratch
	loader  string // the path of the loader
	work    sync.WaitGroup
}

// NewEngine opens the door and writes the loader. What engines that were killed
// have left in Folder is removed.
func NewEngine(ctx context.Context, o Options) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	executable, err := filepath.EvalSymlinks(o.Executable)
	if err != nil {
		return nil, fmt.Errorf("deno: %w", err)
	}
	o.Executable = executable
	text, err := loaderText()
	if err != nil {
		return nil, fmt.Errorf("deno: %w", err)
	}
	e := &Engine{options: o}
	if e.scratch, err = newScratch(o.Folder); err != nil {
		return nil, fmt.Errorf("deno: %w", err)
	}
	e.loader = filepath.Join(e.scratch.path, "loader.js")
	if err := os.WriteFile(e.loader, []byte(text), 0o400); err != nil {
		return nil, errors.Join(fmt.Errorf("deno: write the loader: %w", err), e.scratch.remove())
	}
	if e.door, err = openDoor(ctx, o.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("deno: open the door for scripts: %w", err), e.scratch.remove())
	}
	return e, nil
}

// Close ends the engine. Its processes must have ended, or are killed now.
func (e *Engine) Close() error {
	err := e.door.close()
	e.work.Wait()
	return errors.Join(err, e.scratch.remove())
}

// newCapability is the secret of one process: 256 bits.
func newCapability() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, says crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}
