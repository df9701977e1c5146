package mcpclient

import (
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

var errNotConfined = errors.New("this program cannot confine a server")

// confined returns the Start of the process of a server. If the configuration has no Confine, the
// command line stays unchanged.
func (d Dialer) confined(cfg upstream.Config, argv, env []string, dir string, on upstream.Events) (upstream.Start, error) {
	if cfg.Trial != nil {
		cfg.Confine = cfg.Trial
	}
	if cfg.Confine == nil {
		return upstream.Start{Args: argv, Env: env, End: func() {}}, nil
	}
	if d.Confiner == nil {
		return upstream.Start{}, &toolscript.Error{Kind: toolscript.Unsupported, Permanent: true, Err: errNotConfined}
	}
	if lacks := d.Confiner.Lacks(*cfg.Confine); lacks != "" && !cfg.Confine.Free {
		on.Logf(slog.LevelWarn, "the server is not confined as configured: %s", lacks)
	}
	p, err := cfg.Confined(argv, argv[1:], env, dir, on.Logf)
	if err != nil {
		return upstream.Start{}, err
	}
	return d.Confiner.Start(p)
}
