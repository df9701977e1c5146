package cli

import (
	"fmt"
	"os"
	"path/filepath"
)

// checkFiles returns an error if the files and folders of the flags cannot be used. It is
// called before the script runs.
func (o *execOptions) checkFiles() error {
	if o.plan && o.out != "" {
		return o.usage("--plan prints calls and no value: leave out --out")
	}
	if o.out != "" {
		if err := creatable(o.absolute(o.out)); err != nil {
			return err
		}
	}
	if o.cwd != "" {
		return o.isFolder(o.cwd)
	}
	return nil
}

// isFolder returns an error if --cwd is not a folder.
func (o *execOptions) isFolder(path string) error {
	switch info, err := os.Stat(o.absolute(path)); {
	case err != nil:
		return fmt.Errorf("--cwd %s: %s", path, withoutPath(err))
	case !info.IsDir():
		return fmt.Errorf("--cwd %s is not a folder", path)
	}
	return nil
}

// creatable returns an error if a file could not be written.
func creatable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("--out %s is a folder; name a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // opening a pipe would wait for a reader
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // G304: the file that the user names
	} else if f, err = os.CreateTemp(filepath.Dir(path), ".toolscript-*"); err == nil {
		defer func() { _ = os.Remove(f.Name()) }() //nolint:gosec // created only for the check
	}
	if err != nil {
		return fmt.Errorf("--out %s cannot be written, so nothing was run: %s", path, withoutPath(err))
	}
	return f.Close()
}
