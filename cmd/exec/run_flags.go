package exec

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// addRunFlags adds the flags of all commands that run a script.
func (o *Options) addRunFlags(f *pflag.FlagSet) {
	o.limits.Add(f)
	f.Var(&o.check, "check", "the effect of type errors: none, a message, or the script does not run (default error)")
	f.Var(&o.engine, "engine", "the engine that runs the script (default quickjs)")
	f.StringSliceVar(&o.Allow, "allow", nil, "the only `servers and tool ids` the script may call; '' for none (default all)")
	f.Var((*runName)(&o.name), "name", "keep the value under this `name`, for store.run(name) in later scripts")
	f.StringSliceVar(&o.needs, "needs", nil, "run nothing of the script unless these `tools and servers` can be called, such as github__create_issue or 'github.*'; else exit code 3")
	f.StringVar(&o.Cwd, "cwd", "", "the working `folder` that the script sees (default that of this command)")
	f.StringVar(&o.Out, "out", "", "write the value to this `file` instead of stdout, or the bytes of an image; if it is a folder (DIR/), write the images and files of the value there, and print their names")
	f.Var(&o.MaxTokens, "max-tokens", "print about this much of the value and of the console output, and the command that prints the rest; 0 prints the whole value (default 10000 of the value on a terminal, else no limit)")
	f.BoolVar(&o.detach, "detach", false, "begin the run in the running gateway, print its id, and return; see toolscript runs")
	f.BoolVar(&o.Record, "record", false, "keep the arguments and results of all calls on the disk, so that toolscript runs replay can run the script again")
	f.BoolVar(&o.Plan, "plan", false, "make only the calls of tools that read, and print the other calls with their arguments instead of the value")
	app.AddTrust(f, &o.Trust)
	o.search.Add(f)
	o.search.Hide(f)
	terminal.AddValueForm(f, &o.Form, "print only the end of the run, as JSON with the output")
}

// runName is the value of --name. It cannot be empty, because an empty name would silently keep nothing.
type runName string

func (n *runName) String() string { return string(*n) }
func (n *runName) Type() string   { return "name" }
func (n *runName) Set(text string) error {
	if text == "" {
		return errors.New("the name is empty")
	}
	*n = runName(text)
	return nil
}
