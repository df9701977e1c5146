package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/source"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/cmd/value"
)

// checkFiles returns an error if the files and folders of the flags cannot be used. It is
// called before the script runs.
func (o *execOptions) checkFiles() error {
	if o.plan && o.out != "" {
		return exit.Usage(o.script.Command, "--plan prints calls and no value: leave out --out")
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

// findScript finds the script of the command line.
func (o *execOptions) findScript(ctx context.Context, args []string) (source.Script, error) {
	o.script.Dir, o.script.Stdin, o.script.Args = o.Dir, o.Stdin, args
	return o.script.Find(ctx)
}
