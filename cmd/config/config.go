// Package config loads .toolscript.json: it finds the files, expands variables, validates
// and merges them, and stores which project files the user trusts. The port, host and token
// of the gateway never come from a file.
package config

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// FileName is the name of a configuration file.
const FileName = ".toolscript.json"

// AddServers is advice for a configuration without servers.
const AddServers = "to add some, run one of: toolscript init, toolscript config import, toolscript add NAME -- COMMAND"

// Config is the merged content of the files. It contains the values of expanded variables
// and must not be printed.
type Config struct {
	Servers  map[string]upstream.Config // by configured name; never nil
	Settings Settings
	Warnings []string // warnings for the user, one sentence each
	Mistakes Mistakes // mistakes that each disable a server or a setting, in the order of the files; see Notices
	Files    []File   // all files that were searched for, in the order of their effect

	// Scripts are the saved scripts, sorted by name. The trusted ones are the tools of the
	// server toolscript.ScriptsServer.
	Scripts []SavedScript

	Untrusted []string // servers that are not started because the user has not trusted them
	Hidden    []string // untrusted servers that replace a server of the same name of an earlier file

	Waiting    []SecretRequest     // secrets that servers refer to but do not get
	Identities map[string]Identity // identities of the servers of files, by name; nil unless Options.Identify
}

// Notices returns what a user should know about the files: the mistakes with their effects,
// and the warnings.
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

	Fleet Fleet  // from the user's file or named files; see Fleet.Address
	Pool  string // where runs execute by default: "" is this host, or PoolOfFleet

	StoreScopes []string // scopes of values that outlive runs; nil: session and project

	Profiles map[string]Profile
	Profile  string // default profile; "": all tools may be used

	Approvals         toolscript.Approvals // policies of all files
	ConfirmAtTerminal bool                 // codes of approvals may be shown at the terminal that answers
	ConfirmAtClient   bool                 // a person who answers at an MCP client needs no code

	Audit Audit                // from the user's file
	Pins  toolscript.PinPolicy // "" is warn

	Media Media // media of a value that a model is shown

	AnswersMB int64 // limit for all answers of servers in memory together, in MB
}

// Media bounds the images and sounds of a value that an MCP client gets as content blocks.
type Media struct{ Blocks, Bytes *int64 } // nil: the default

// Most returns the bounds, with the defaults for fields that are nil.
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

// Audit holds the settings of the audit. A zero limit selects the default of package audit.
type Audit struct {
	Off      bool
	FileMB   int64 // size after which the next file begins
	KeepMB   int64 // total size of all files
	KeepDays int64

	Recipients []string // public age keys for which recorded runs are encrypted
}

// Output holds the settings of what exec prints.
type Output struct {
	MaxTokens *int          // maximum tokens of a value; 0: no limit, nil: the command decides
	NoPrompts bool          // MCP clients get no prompts, resources, skills and apps of servers
	TaskAfter time.Duration // how long a script of an MCP client lasts before it becomes a task; 0: the default
}

// DeviceWebGPU is a device of the search that has no effect. Configurations of other
// programs contain it.
const DeviceWebGPU = "webgpu"

// Search holds the settings of the search.
type Search struct {
	Lexical   bool // search by words only
	NoCache   bool
	Limit     int
	Alpha     *float64
	Threshold *float64
	Model     string // minilm, or the path of a GGUF file; "" is minilm
	Library   string // folder of the library that reads a GGUF file
	Remote    Remote
	Device    string        // auto, cpu or DeviceWebGPU; from a flag only
	Idle      time.Duration // how long minilm stays in memory without a search; 0 is the default; from a flag only
}

// Remote is an endpoint that computes embeddings. Key is a secret.
type Remote struct{ URL, Model, Key string }

// Types holds the settings of generated TypeScript.
type Types struct {
	OpenObjects bool
	NoObserve   bool
	Describe    *int // maximum length of a description in the compact form, in characters
}

// File is one configuration file. Load sets Found and Trusted.
type File struct {
	Path    string `json:"path"`    // absolute
	Project bool   `json:"project"` // found from the working directory upward
	Named   bool   `json:"named"`   // named by --config or TOOLSCRIPT_CONFIG
	Found   bool   `json:"found"`   // it exists and was read
	Trusted bool   `json:"trusted"` // the whole file has effect; always true unless Project
	Ignored bool   `json:"-"`       // nothing in it has effect, because the user has not trusted it
}

// Distrusted returns a message that nothing in the file has effect.
func (f File) Distrusted() string {
	return f.Path + " is not trusted: its servers are not started and its settings have no effect; run: toolscript trust"
}

// Effective returns the files that are not ignored.
func Effective(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Ignored })
}

// Paths returns the paths of the files, found or not. They identify the gateways of a
// configuration.
func Paths(files []File) []string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths
}

// Options say where the configuration is. The zero value is that of a command without
// flags.
type Options struct {
	Config  string // --config: paths separated by commas
	DataDir string // --data-dir
	Trust   bool   // --trust: the project's file has effect for this command; nothing is stored
	Strict  bool   // treat a file that cannot be read as an error, not a warning
	Missing bool   // a named file may be missing; see File.Found
	Extra   Extra  // additional servers of one command

	NoProject bool // ignore the project's file

	Identify bool // fill Config.Identities
	NoValues bool // keep references to secrets that servers may have, and read nothing from the keyring

	WorkDir   string                      // default: the working directory
	LookupEnv func(string) (string, bool) // default: os.LookupEnv
	Variable  func(string) (string, bool) // value of ${NAME} in a file; default: LookupEnv

	// Unset returns advice about unset variables that a server needs. Nil: advise to set
	// them in the shell that runs toolscript.
	Unset func(server string, names []string) string
}

// variable returns the value of ${NAME}.
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

// env returns the value of a variable. An empty value counts as unset.
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
