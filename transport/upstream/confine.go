package upstream

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/proc"
)

// Confine is what the process of a server may reach besides what its program needs to start. The configuration gives it,
// gateway.Confiner completes it, and confined.Spec enforces it. The built-in tool exec has a Program instead.
type Confine struct {
	Read  []string `json:",omitempty"` // absolute paths of files and folders that may be read and executed
	Write []string `json:",omitempty"` // absolute paths that may be written, too
	Net   []string `json:",omitempty"` // hosts and ports, such as api.github.com:443; empty: no network

	Free    bool `json:"-"` // nothing is restricted, but the environment is that of a confined server
	Watched bool `json:"-"` // what the process does is recorded
}

// Confined is a process to start with a Confine.
type Confined struct {
	Confine
	Path    string       // absolute path of the program
	Args    []string     // the first one is the name of the program
	Fixed   []string     // the arguments that the configuration fixes; the first file among them is part of the program
	Env     []string     // complete environment, as NAME=value
	Dir     string       // working directory, absolute
	Project files.Folder // folder that the paths are resolved beneath
	Source  string       // Config.Source
	Log     func(level slog.Level, format string, args ...any)
}

// Leaves returns an error if a path of the Confine is a link that leaves the folder of the project.
// Such a process could not start.
func (p Confined) Leaves() error {
	for _, path := range slices.Concat(p.Read, p.Write) {
		held, err := p.Project.Hold(path)
		held.Close()
		if link := (*files.LinkError)(nil); errors.As(err, &link) {
			return fmt.Errorf("confine: %w", link)
		}
	}
	return nil
}

// Start describes how to start a confined process.
type Start struct {
	Args  []string // the first one is the path of the program
	Env   []string
	Files []*os.File // the descriptors of the process from 3 on
	End   func()     // called when the process has ended, or was not started

	Install proc.Installation // what the group of the process installs
}

// CloseFiles closes Files after the start: the process has copies.
func (s Start) CloseFiles() {
	for _, f := range s.Files {
		_ = f.Close() // it was not written to
	}
}

// Confiner starts processes with a Confine.
type Confiner interface {
	// Start prepares the start of a process.
	Start(p Confined) (Start, error)

	// Lacks describes the parts of a Confine that this machine cannot enforce; "" if there are none.
	Lacks(c Confine) string
}

// Confined returns the process to start for argv with cfg.Confine, which must not be nil. fixed
// are the arguments, without the program's name, that the configuration fixes.
func (cfg Config) Confined(argv, fixed, env []string, dir string, log func(slog.Level, string, ...any)) (Confined, error) {
	path, err := LookPath(argv[0], env)
	if err != nil {
		return Confined{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return Confined{}, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return Confined{Confine: *cfg.Confine, Path: path, Args: argv, Fixed: fixed, Env: env, Dir: dir, Project: cfg.Project, Source: cfg.Source, Log: log}, nil
}
