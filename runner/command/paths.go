//go:build unix

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// enter makes Dir the working directory, and replaces Root and Writable by paths that refer to the same
// files even if something is renamed. The files stay open, in held, until the program has started.
func (o *order) enter() error {
	root, err := o.Project.Hold(o.Root)
	if err != nil {
		return invalid("the root folder cannot be used: %w", err)
	}
	o.held = append(o.held, root)
	dir, err := o.folder(root)
	if err != nil {
		return invalid("the working directory cannot be used: %w", err)
	}
	o.held = append(o.held, dir)
	if err := os.Chdir(dir.Path()); err != nil {
		return invalid("the working directory cannot be used: %w", err)
	}
	o.Root = root.Path()
	var writable []string
	for _, path := range o.Writable {
		held, err := o.Project.Hold(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return invalid("a path of \"writable\" cannot be used: %w", err)
		}
		o.held, writable = append(o.held, held), append(writable, held.Path())
	}
	o.Writable = writable
	return nil
}

// folder opens the working directory. A path below Root is resolved beneath root.
func (o *order) folder(root files.Held) (files.Held, error) {
	rel, err := filepath.Rel(o.Root, o.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return o.Project.Hold(o.Dir)
	}
	return files.Folder{Dir: root.Path()}.Hold(filepath.Join(root.Path(), rel))
}

func invalid(format string, err error) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, err)}
}
