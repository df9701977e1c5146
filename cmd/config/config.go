// Package config loads .toolscript.json: it finds the files, expands variables,
// validates and merges them, and stores which project files the user trusts. Port, host
// and token of the gateway never come from a file.
package config

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// FileName is the name of a configuration file.
const FileName = ".toolscript.json"

// AddServers is what to do about a configuration without servers.
const AddServers = "to add some, run one of: toolscript init, toolscript config import, toolscript add NAME -- COMMAND"

// Config is the merged content of the files. It has the values of expanded variables and
// must not be printed.
type Config struct {
	Servers  map[string]mcpclient.Config // by configured name; never nil
	Settings Settings
	Warnings []string // for the user, one sentence each
	Mistakes Mistakes // that disable a server or a setting each, in the order of the files; see Notices
	Files    []File   // all files that were searched for, in the order of their effect

	// Scripts are the saved scripts, sorted by name. The trusted ones are the tools of the
	// server toolscript.ScriptsServer.
	Scripts []SavedScript

	Untrusted []string // servers that are not started because the user has not trusted them
	Hidden    []string // of them, those with the name of a server of an earlier file, which they replace

	Waiting    []SecretRequest     // secrets that servers refer to and do not get
	Identities map[string]Identity // of the servers of files, by name; nil unless Options.Identify
}

// Notices are what a user should know of the files: the mistakes with their effects, and the
// warnings.
func (c *Config) Notices() []string {
	var all []string
	for _, m := range c.Mistakes {
		all = append(all, m.Notice())
	}
	return append(all, c.Warnings...)
}

// Settings are the settings of script runs. Fields that are not configured are zero.
type Settings struct {
	Engine string
	Check  string
	Types  Types
	Limits toolscript.Limits
	Search Search
	Output Output

	ToolPacks toolscript.ToolPacks
	Harness   Harness
	Telemetry Telemetry

	Fleet Fleet  // of the user's file or of named files; see Fleet.Address
	Pool  string // of runs that ask for none: "" is this host, or PoolOfFleet

	StoreScopes []string // of values that outlive runs; nil: session and project

	Profiles map[string]Profile
	Profile  string // of those who choose none; "": they may use all tools

	Approvals         toolscript.Approvals // of all files
	ConfirmAtTerminal bool                 // codes of approvals may be shown at the terminal that answers
	ConfirmAtClient   bool                 // a person who answers at an MCP client needs no code

	Audit Audit                // of the user's file
	Pins  toolscript.PinPolicy // "" is warn

	Media Media // that a model is shown of a value

	AnswersMB int64 // limit of all answers of servers in memory together
}

// Media are the bounds of the images and sounds of a value that a client of MCP gets as
// content blocks.
type Media struct{ Blocks, Bytes *int64 } // nil: the default

// Most are the bounds.
func (m Media) Most() (blocks, bytes int64) {
	blocks, bytes = 4, 2<<20
	if m.Blocks != nil {
		blocks = *m.Blocks
	}
	if m.Bytes != nil {
		bytes = *m.Bytes
	}
	return blocks, bytes
}

// Audit are the settings of the audit. A zero limit is that of package chain.
type Audit struct {
	Off      bool
	FileMB   int64 // size of a file after which the next one begins
	KeepMB   int64 // of all files
	KeepDays int64

	Recipients []string // public keys of age, for which recorded runs are encrypted
}

// Output are the settings of what exec prints.
type Output struct {
	MaxTokens *int // of a value; 0 prints the whole value, nil leaves it to the command
}

// DeviceWebGPU is a device of the search that has no effect. Configurations of other programs
// use it.
const DeviceWebGPU = "webgpu"

// Search are the settings of the search.
type Search struct {
	Lexical   bool // by words only
	NoCache   bool
	Limit     int
	Alpha     *float64
	Threshold *float64
	Model     string // minilm, or the path of a GGUF file; "" is minilm
	Library   string // folder of the library for such a file
	Remote    Remote
	Device    string        // auto, cpu or DeviceWebGPU; from a flag only
	Idle      time.Duration // how long minilm stays in memory without a search; 0 is the default; from a flag only
}

// Remote is an endpoint that computes embeddings. Key is a secret.
type Remote struct{ URL, Model, Key string }

// Types are the settings of generated TypeScript.
type Types struct {
	OpenObjects bool
	NoObserve   bool
	Describe    *int // characters of each description in the compact form
}

// File is one configuration file. Found and Trusted are set by Load.
type File struct {
	Path    string `json:"path"`    // absolute
	Project bool   `json:"project"` // found from the working directory upward
	Named   bool   `json:"named"`   // by --config or TOOLSCRIPT_CONFIG
	Found   bool   `json:"found"`   // it exists and was read
	Trusted bool   `json:"trusted"` // all of it has effect; always true unless Project
	Ignored bool   `json:"-"`       // nothing of it has effect, because the user has not trusted it
}

// Distrusted says that nothing of the file has effect.
func (f File) Distrusted() string {
	return f.Path + " is not trusted: its servers are not started and its settings have no effect; run: toolscript trust"
}

// Effective are the files without those that are ignored.
func Effective(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Ignored })
}

// Paths are the paths of the files, found or not. They identify the gateway of a
// configuration.
func Paths(files []File) []string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths
}

// Options are the places of the configuration. The zero value has the places of a
// command without flags.
type Options struct {
	Config  string // --config: paths separated by commas
	DataDir string // --data-dir
	Trust   bool   // --trust: the project's file has effect for this command; nothing is stored
	Strict  bool   // a file that cannot be read is an error, not a warning
	Missing bool   // a named file may be missing; see File.Found
	Extra   Extra  // servers of one command

	NoProject bool // leave out the project's file

	Identify bool // fill Config.Identities
	NoValues bool // secrets stay as written where a server gets them: nothing is read from the keyring

	WorkDir   string                      // default: the working directory
	LookupEnv func(string) (string, bool) // default: os.LookupEnv
	Variable  func(string) (string, bool) // value of ${NAME} in a file; default: LookupEnv

	// Unset is what to do about variables that are not set and a server needs. Nil: they are
	// set in the shell that runs toolscript.
	Unset func(server string, names []string) string
}

// variable is the value of ${NAME}.
func (o Options) variable(name string) (string, bool) {
	if o.Variable == nil {
		return o.lookupEnv(name)
	}
	return o.Variable(name)
}

func (o Options) lookupEnv(name string) (string, bool) {
	if o.LookupEnv == nil {
		return os.LookupEnv(name)
	}
	return o.LookupEnv(name)
}

// env is the value of a variable. An empty value counts as not set.
func (o Options) env(name string) string {
	value, _ := o.lookupEnv(name)
	return value
}

func (o Options) workDir() (string, error) {
	if o.WorkDir == "" {
		return os.Getwd()
	}
	return filepath.Abs(o.WorkDir)
}
