// Package app has the parts that the commands of toolscript share: the state of one command line with its global
// flags, messages on stderr, exit codes, flags of several commands, changes of the user's files, and the choice
// between a running gateway and this process.
package app

import (
	"bufio"
	"context"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/hub"
)

// State is the environment of one run of the program.
type State struct {
	Parent int      // process that started this one; 0 if it does not matter
	Args   []string // arguments, without the name of the program
	Env    []string // in the form of os.Environ
	Dir    string   // working directory, absolute
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Signals ask the program to stop. The first signal ends it in order. The second
	// signal, if it comes more than half a second later, calls Exit.
	Signals <-chan os.Signal
	Exit    func(code int)
}

// App is the environment and the global options, which all commands share.
type App struct {
	State

	Target    Finder
	configs   string
	dataDir   string
	logLevel  Level
	logFormat Choice

	// Tree makes the command that args name, to read its flags. The command cannot be run.
	Tree  func(dir string, args []string) *cobra.Command
	Names []string // the names of all commands

	FindHub func(context.Context) (hub.Endpoint, error) // finds or starts the hub of this user

	Host   *daemon.Host
	Notice *terminal.Notice

	answers *bufio.Reader // answers of the user at the terminal; nil before the first question

	hangup atomic.Pointer[chan struct{}] // receives SIGHUP, see HangupSignals
	breaks atomic.Pointer[chan struct{}] // is closed at the next SIGINT, see Interrupts

	Printed *Printed // nil: the output is not counted

	suggestions suggestions
}

// AddGlobalFlags adds the flags of all commands.
func (a *App) AddGlobalFlags(f *pflag.FlagSet) {
	f.StringVarP(&a.Target.URL, "gateway-url", "g", "", "use only the gateway at this `url`")
	f.StringVarP(&a.configs, "config", "c", "", "comma separated configuration `files` (default ~/.toolscript.json and the project's .toolscript.json)")
	f.StringVar(&a.dataDir, "data-dir", "", "`folder` of trust and caches (default ~/.toolscript)")
	a.logLevel.Choices = []string{"debug", "info", "warn", "error"}
	f.Var(&a.logLevel, "log-level", "the lowest level of the log on stderr (default info for gateway start, else warn)")
	a.logFormat = Choice{Value: "text", Choices: []string{"text", "json"}}
	f.Var(&a.logFormat, "log-format", "the format of the log")
	FromEnvironment(f, "gateway-url", "TOOLSCRIPT_GATEWAY_URL")
	FromEnvironment(f, "config", "TOOLSCRIPT_CONFIG")
	FromEnvironment(f, "data-dir", "TOOLSCRIPT_DATA_DIR")
	FromEnvironment(f, "log-level", "LOG_LEVEL")
}
