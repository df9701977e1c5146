package mcpclient

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile/beneath"
	"github.com/toolscript/toolscript/transport/reaper"
)

// Confine is what the process of a server may reach besides what its program needs to start.
type Confine struct {
	Read  []string `json:",omitempty"` // absolute files and folders to read, and to execute from
	Write []string `json:",omitempty"` // to read and write, too
	Net   []string `json:",omitempty"` // hosts and ports, such as api.github.com:443; empty: no network

	Free    bool `json:"-"` // nothing is restricted, in the environment of a confined server
	Watched bool `json:"-"` // what the process does is recorded
}

// Confined is a process to start with a Confine.
type Confined struct {
	Confine
	Path    string         // of its program, absolute
	Args    []string       // the first one is the name of the program
	Fixed   []string       // the arguments that the configuration fixes; the first file among them is part of the program
	Env     []string       // complete, as NAME=value
	Dir     string         // absolute
	Project beneath.Folder // that the paths are resolved beneath
	Source  string         // Config.Source
	Log     func(level slog.Level, format string, args ...any)
}

// Leaves returns an error if a path of the Confine is a link that leaves the folder of the project. The
// process could not start.
func (p Confined) Leaves() error {
	for _, path := range slices.Concat(p.Read, p.Write) {
		held, err := p.Project.Hold(path)
		held.Close()
		if link := (*beneath.LinkError)(nil); errors.As(err, &link) {
			return fmt.Errorf("confine: %w", link)
		}
	}
	return nil
}

// Start is how a confined process is started.
type Start struct {
	Args  []string // the first one is the path of the program
	Env   []string
	Files []*os.File // the descriptors of the process from 3 on
	End   func()     // called when the process has ended, or was not started

	install reaper.Installation // in the group of the process
}

// CloseFiles closes Files, of which the process has copies.
func (s Start) CloseFiles() {
	for _, f := range s.Files {
		_ = f.Close() // it was not written to
	}
}

// Confiner starts processes with a Confine.
type Confiner interface {
	// Start returns how a process is started.
	Start(p Confined) (Start, error)

	// Lacks says what of a Confine does not hold on this machine; "" if all does.
	Lacks(c Confine) string
}

var errNotConfined = errors.New("this program cannot confine a server")

// Confined is the process of a program with cfg.Confine, which must not be nil. fixed are the
// arguments, without the name, that the configuration fixes.
func (cfg Config) Confined(argv, fixed, env []string, dir string, log func(slog.Level, string, ...any)) (Confined, error) {
	path, err := lookPath(argv[0], env)
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

// confined returns how the process of a server is started. A server that is not confined is
// started as it is.
func (d Dialer) confined(cfg Config, argv, env []string, dir string, on Events) (Start, error) {
	if cfg.Trial != nil {
		cfg.Confine = cfg.Trial
	}
	if cfg.Confine == nil {
		return Start{Args: argv, Env: env, End: func() {}}, nil
	}
	if d.Confiner == nil {
		return Start{}, &toolscript.Error{Kind: toolscript.Unsupported, Permanent: true, Err: errNotConfined}
	}
	if lacks := d.Confiner.Lacks(*cfg.Confine); lacks != "" && !cfg.Confine.Free {
		on.logf(slog.LevelWarn, "the server is not confined as configured: %s", lacks)
	}
	p, err := cfg.Confined(argv, argv[1:], env, dir, on.logf)
	if err != nil {
		return Start{}, err
	}
	return d.Confiner.Start(p)
}
