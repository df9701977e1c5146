package mcpclient

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/toolscript/toolscript"
)

// Confine is what the process of a server may reach besides what its program needs to start.
type Confine struct {
	Read  []string `json:",omitempty"` // absolute files and folders to read, and to execute from
	Write []string `json:",omitempty"` // to read and write, too
	Net   []string `json:",omitempty"` // hosts and ports, such as api.github.com:443; empty: no network
}

// Confined is a process to start with a Confine.
type Confined struct {
	Confine
	Path   string   // of its program, absolute
	Args   []string // the first one is the name of the program
	Env    []string // complete, as NAME=value
	Dir    string   // absolute
	Source string   // Config.Source
	Log    func(level slog.Level, format string, args ...any)
}

// Start is how a confined process is started.
type Start struct {
	Args []string // the first one is the path of the program
	Env  []string
	End  func() // called when the process has ended, or was not started
}

var errNotConfined = errors.New("this program cannot confine a server")

// confined returns how the process of a server is started. A server that is not confined is
// started as it is.
func (d Dialer) confined(cfg Config, argv, env []string, dir string, on Events) (Start, error) {
	if cfg.Confine == nil {
		return Start{Args: argv, Env: env, End: func() {}}, nil
	}
	if d.Confine == nil {
		return Start{}, &toolscript.Error{Kind: toolscript.Unsupported, Permanent: true, Err: errNotConfined}
	}
	path, err := lookPath(argv[0], env)
	if err != nil {
		return Start{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return Start{}, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return d.Confine(Confined{Confine: *cfg.Confine, Path: path, Args: argv, Env: env, Dir: dir, Source: cfg.Source, Log: on.logf})
}
