package cli

import (
	"fmt"
	"os"

	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/cmd/value"
)

// checkFiles returns an error if the files and folders of the flags cannot be used. It is
// called before the script runs.
func (o *execOptions) checkFiles() error {
	if o.plan && o.out != "" {
		return o.usage("--plan prints calls and no value: leave out --out")
	}
	if o.out != "" {
		if err := value.Creatable(o.absolute(o.out)); err != nil {
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
		return fmt.Errorf("--cwd %s: %s", path, terminal.WithoutPath(err))
	case !info.IsDir():
		return fmt.Errorf("--cwd %s is not a folder", path)
	}
	return nil
}
