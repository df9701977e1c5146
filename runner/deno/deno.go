// Package deno runs scripts on an installed Deno. Every run has its own process, which is
// started in advance, runs one script and ends. Then the folder with its caches is deleted.
//
// A process may only reach one port, the loopback server of the Engine. The server identifies
// a process by its capability, and serves modules, answers of calls and standard input of its
// run. It has no other routes, so a script cannot reach the gateway's own API.
//
// The script is not a file: the loader, a constant file, imports the script as a Blob. Deno reads
// static imports of files without asking for permission, and this way only those of the loader
// exist. The loader runs the same prelude as QuickJS, so that scripts have the same globals,
// output and errors on both engines. See docs/design/sandbox.md.
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

// heapMB is the limit of the JavaScript heap of a process. A run may have a smaller limit.
const heapMB = 96

// Options configure an engine.
type Options struct {
	Executable string // Deno itself, not a script that starts it
	// Folder is the folder for files that Deno must write. It is private to the user, and
	// only this package uses it. If it is empty, a folder in the system's temporary folder is
	// used.
	Folder string
	Log    *slog.Logger // nil: slog.Default()
}

// Engine starts processes that run scripts. It is safe for concurrent use.
type Engine struct {
	options  Options
	loopback *loopback
	scratch  *scratch
	loader   string // path of the loader
	work     sync.WaitGroup
}

// NewEngine opens the loopback server and writes the loader. It removes the files in Folder
// of engines that were killed.
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
	if e.scratch, err = newScratch(ctx, o.Folder); err != nil {
		return nil, fmt.Errorf("deno: %w", err)
	}
	e.loader = filepath.Join(e.scratch.path, "loader.js")
	if err := os.WriteFile(e.loader, []byte(text), 0o400); err != nil {
		return nil, errors.Join(fmt.Errorf("deno: write the loader: %w", err), e.scratch.remove())
	}
	if e.loopback, err = openLoopback(ctx, o.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("deno: open the loopback server for scripts: %w", err), e.scratch.remove())
	}
	return e, nil
}

// Close closes the loopback server, and waits for the end of the processes.
func (e *Engine) Close() error {
	err := e.loopback.close()
	e.work.Wait()
	return errors.Join(err, e.scratch.remove())
}

// newCapability returns the secret of one process, 256 bits.
func newCapability() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // crypto/rand never fails
	return base64.RawURLEncoding.EncodeToString(b)
}
