// Package outside finds the type errors of a script with a compiler that is not
// in this program: the native TypeScript compiler of npm, else Deno. It serves
// builds without one.
//
// Both compilers read the disk and would quote what they find. So each check is a
// process of its own, which sees a folder of three files and what it needs to
// start, may connect to nothing where the kernel has Landlock, and is killed when
// it takes too long or too much. Scripts that name files are refused before.
package outside

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Options say which programs there are.
type Options struct {
	TypeScript string // the native compiler, version 7 or later; "" when there is none
	Deno       string // Deno itself; "" when there is none
	Folder     string // where Deno may keep what it has read, private to the user; "" keeps nothing
	Globals    string // declarations of what scripts have without an import
}

// Checker implements runner.TextChecker. It is safe for concurrent use.
type Checker struct {
	Options
	name  string
	check func(ctx context.Context, c *Checker, folder, text string, limit runner.Effort) ([]runner.Finding, error)
}

var _ runner.TextChecker = (*Checker)(nil)

// New takes the first compiler that there is, in the order of Options; nil when
// there is none.
func New(o Options) *Checker {
	switch {
	case o.TypeScript != "":
		return &Checker{o, "tsc --lsp", checkTypeScript}
	case o.Deno != "":
		return &Checker{o, "deno check", checkDeno}
	}
	return nil
}

// Name is what checks.
func (c *Checker) Name() string { return c.name }

// The files of a check. The script is on the disk for Deno alone.
const (
	mainFile    = "main.ts"
	moduleFile  = "toolscript.d.ts"
	globalsFile = "globals.d.ts"
)

// CheckText implements runner.TextChecker.
func (c *Checker) CheckText(ctx context.Context, text string, d runner.Declarations, limit runner.Effort) ([]runner.Finding, error) {
	folder, err := os.MkdirTemp("", "toolscript-check-")
	if err != nil {
		return nil, unavailable(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, unavailable(err)
	}
	if err := write(folder, map[string]string{moduleFile: d.Text, globalsFile: c.Globals}); err != nil {
		return nil, unavailable(err)
	}
	found, err := c.check(ctx, c, folder, text, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return found, nil
}

func write(folder string, files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func unavailable(err error) error { return &toolscript.Error{Kind: toolscript.Unavailable, Err: err} }
