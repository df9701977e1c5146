package cli

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/runner/footprint"
	"github.com/toolscript/toolscript/transport/gateway"
)

// stopTime bounds the end of a gateway: open calls are answered, servers and
// workers are gone by then.
const stopTime = 5 * time.Second

// settleTime is how long a gateway starts up. What of the program's file only
// that has needed is given back then.
const settleTime = 3 * time.Second

type startOptions struct {
	*app
	port    portFlag
	host    string
	noToken bool
	trust   bool

	noObserve bool
	searchFlags
	resultFlags
}

func newGatewayStart(a *app) *cobra.Command {
	o := &startOptions{app: a}
	c := &cobra.Command{
		Use:   "start",
		Short: "Run a gateway until it is interrupted",
		Long: `Run a gateway until it is interrupted.

It connects to all configured servers and prints where it listens, and the
variable by which other commands and scripts may use it:

  Gateway server listening on http://127.0.0.1:PORT
  export TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:PORT/<capability>

Who has the second line may call every tool: treat it as a password. Commands of
yours with the same configuration find the gateway without it.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.VarP(&o.port, "port", "p", "port to listen on; 0 is any free one")
	f.StringVarP(&o.host, "hostname", "H", "localhost", "`address` to listen on")
	f.BoolVar(&o.noToken, "no-token", false, "let everybody on this machine call every tool: for tests")
	f.BoolVar(&o.trust, "trust", false, "let the project's configuration take effect this once")
	f.BoolVar(&o.noObserve, "no-observe", false, "do not remember what results look like of tools that promise nothing")
	o.searchFlags.add(f)
	o.resultFlags.add(f, "search-", "", "")
	fromEnvironment(f, "port", "TOOLSCRIPT_PORT")
	return c
}

func (o *startOptions) run(ctx context.Context) error {
	logger := o.logger(slog.LevelInfo)
	loaded, err := o.load(o.trust)
	if err != nil {
		return err
	}
	o.overSearch(&loaded.Settings.Search)
	g, err := o.open(loaded, logger)
	if err != nil {
		return err
	}
	entry := o.announce(g.server, loaded, logger)
	defer entry.remove()
	serving := make(chan error, 1)
	go func() { serving <- g.server.Serve() }()
	time.AfterFunc(settleTime, footprint.Release)
	go g.system.obeyHangups(ctx, o.hangUps(), logger)
	if err := o.print("Gateway server listening on %s\nexport TOOLSCRIPT_GATEWAY_URL=%s", g.server.BaseURL(), g.server.URL()); err != nil {
		return errors.Join(err, g.stop())
	}
	select {
	case err = <-serving:
		return errors.Join(err, g.stop())
	case <-ctx.Done():
		logger.Info("gateway stopping")
		return g.stop()
	}
}

// overSearch puts the flags over what the files say.
func (o *startOptions) overSearch(s *config.Search) {
	o.searchFlags.over(s)
	o.resultFlags.over(s)
}

// running is a gateway that has its port and its servers.
type running struct {
	system *system
	server *gateway.Server
}

// open binds the port before any server is started, so that a port in use costs
// nothing.
func (o *startOptions) open(loaded *config.Config, logger *slog.Logger) (*running, error) {
	listener, err := gateway.Listen(o.host, int(o.port))
	if err != nil {
		return nil, err
	}
	token := gateway.NewToken()
	if o.noToken {
		token = ""
		logger.Warn("no token: every program on this machine can call every tool")
	}
	g := &running{}
	g.system, err = o.startSystem(loaded, o.trust, logger, actors.Options{NoObserve: o.noObserve, Scripts: actors.Scripts{Warm: true, URL: g.urlOf}})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	g.system.over = o.overSearch
	g.server, err = gateway.New(g.system, gateway.Options{Listener: listener, Token: token, Logger: logger})
	if err != nil {
		return nil, errors.Join(err, listener.Close(), g.system.end())
	}
	return g, nil
}

// urlOf is the gateway as the holder of a run's capability reaches it. No run
// begins before the server serves.
func (g *running) urlOf(capability string) string { return g.server.BaseURL() + "/" + capability }

// stop ends everything within stopTime. Requests under way are answered while
// the servers end: the one hears of the other.
func (g *running) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- g.server.Shutdown(ctx) }()
	if err := errors.Join(g.system.Close(ctx), <-shut); err != nil {
		return &stopError{err}
	}
	return nil
}

// announcement is the entry by which other commands find a gateway.
type announcement struct {
	folder discovery.Folder
	entry  discovery.Entry
	logger *slog.Logger
}

// announce makes the entry. A gateway without one serves all the same, to who
// has its URL.
func (o *startOptions) announce(server *gateway.Server, loaded *config.Config, logger *slog.Logger) *announcement {
	a := &announcement{logger: logger}
	var err error
	if a.folder, err = o.runtimeFolder(); err == nil {
		a.entry, err = a.folder.Write(discovery.Entry{
			URL:     server.URL(),
			Session: discovery.Session(o.lookupEnv),
			Config:  config.Paths(loaded.Files),
		})
	}
	if err != nil {
		logger.Warn("gateway entry not written", slog.String("error", err.Error()))
		a.folder = ""
	}
	return a
}

func (a *announcement) remove() {
	if a.folder == "" {
		return
	}
	if err := a.folder.Remove(a.entry); err != nil {
		a.logger.Warn("gateway entry not removed", slog.String("error", err.Error()))
	}
}

// runtimeFolder is where the entries of running gateways are.
func (a *app) runtimeFolder() (discovery.Folder, error) {
	data, err := config.DataDir(a.config(false))
	if err != nil {
		return "", err
	}
	return discovery.RuntimeFolder(data, a.lookupEnv)
}
