// Package config loads .toolscript.json: it finds the files, expands variables,
// validates, merges, and keeps which project files the user trusts. Port, host
// and token of the gateway never come from a file.
package config

import (
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// FileName is what a configuration file is called.
const FileName = ".toolscript.json"

// Config is what the files say together. It holds the values of expanded
// variables and must not be printed.
type Config struct {
	Servers  map[string]mcpclient.Config // by configured name; never nil
	Settings Settings
	Warnings []string // what a user should know, one sentence each
	Files    []File   // all that were looked for, in the order of their effect
}

// Settings are the settings of script runs. A zero field is not configured.
type Settings struct {
	Engine string
	Check  string
	Types  Types
	Limits toolscript.Limits
	Search Search
}

// Search are the settings of the search.
type Search struct {
	Lexical   bool // by words only
	NoCache   bool
	Limit     int
	Alpha     *float64
	Threshold *float64
	Model     string // minilm, or the path of a GGUF file; "" is minilm
	Library   string // the folder of the library for such a file
	Remote    Remote
	Idle      time.Duration // how long minilm stays in memory that nobody uses; 0 is the default, and no file says otherwise
}

// Remote is an endpoint that computes the vectors of tools. Key is a secret.
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
	Trusted bool   `json:"trusted"` // it takes effect; always so unless Project
}

// Paths are the paths of the files, found or not: what a gateway is keyed by.
func Paths(files []File) []string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths
}

// Options say where the configuration is looked for. The zero value looks where
// a command without flags does.
type Options struct {
	Config  string // --config: paths separated by commas
	DataDir string // --data-dir
	Trust   bool   // --trust: the project's file takes effect this once; nothing is recorded

	WorkDir   string                      // default: the working directory
	LookupEnv func(string) (string, bool) // default: os.LookupEnv
}

func (o Options) lookupEnv(name string) (string, bool) {
	if o.LookupEnv == nil {
		return os.LookupEnv(name)
	}
	return o.LookupEnv(name)
}

// env is a variable's value, where an empty one is as good as none.
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
