package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/mcpserver"
)

// settledWait bounds how long a request waits for servers that are connecting.
const settledWait = 10 * time.Second

// settledPoll is the time between two questions whether the servers have settled.
const settledPoll = 50 * time.Millisecond

// agentTokens is how much of a value an agent gets if the configuration has no limit.
const agentTokens = 5_000

// mcpOptions are the options of toolscript mcp.
type mcpOptions struct {
	*app
	trust bool

	mu  sync.Mutex
	own *daemon.Daemon // the gateway of this process; nil while none was needed
}

func newMCP(a *app) *cobra.Command {
	o := &mcpOptions{app: a}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve search, types and scripts as an MCP server on stdio",
		Long: `Serve search, types and scripts as an MCP server on stdio.

An agent gets three tools: search_tools finds tools of all configured servers,
describe_tools returns their TypeScript types, and run_script runs a script that
calls them. To register it with an agent:

  {"mcpServers": {"toolscript": {"command": "toolscript", "args": ["mcp"]}}}

A running gateway is used when there is one for this configuration. Otherwise the
servers run as long as this command.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	addTrust(c.Flags(), &o.trust)
	return c
}

func (o *mcpOptions) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		o.stop()
	}()
	go o.connect(ctx)
	return mcpserver.Serve(ctx, o.Stdin, o.Stdout, mcpserver.Options{
		Gateway:    o.forRequest,
		Shorten:    o.shorten,
		Kept:       o.host.Outputs().Read,
		Error:      runErrorText,
		Diagnostic: diagnosticText,
	})
}

// connect starts the servers before the first request needs them.
func (o *mcpOptions) connect(ctx context.Context) {
	if _, release, err := o.forRequest(ctx); err == nil {
		release()
	} // the request that needs the gateway reports the error
}

// forRequest returns a running gateway, or the gateway of this process.
func (o *mcpOptions) forRequest(ctx context.Context) (mcpserver.Gateway, func(), error) {
	o.mu.Lock()
	own := o.own
	o.mu.Unlock()
	if own == nil {
		g, err := o.shared(ctx, o.trust)
		if err != nil {
			return nil, nil, err
		}
		if g != nil {
			settle(ctx, func() bool {
				health, err := g.Health(ctx)
				return err != nil || health.Search.Ready // the request reports the error
			})
			return g, g.Close, nil
		}
		if own, err = o.start(ctx); err != nil {
			return nil, nil, err
		}
	}
	settle(ctx, func() bool { return own.SearchStatus().Ready })
	return own, func() {}, nil
}

// settle waits until all servers have connected or failed and their tools can be
// found, or for settledWait.
func settle(ctx context.Context, ready func() bool) {
	ctx, cancel := context.WithTimeout(ctx, settledWait)
	defer cancel()
	for !ready() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(settledPoll):
		}
	}
}

// start starts a gateway in this process, unless one runs.
func (o *mcpOptions) start(ctx context.Context) (*daemon.Daemon, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own != nil || ctx.Err() != nil {
		return o.own, ctx.Err()
	}
	loaded, err := o.host.Load(o.trust)
	if err != nil {
		return nil, err
	}
	o.own, err = o.host.Start(loaded, daemon.Options{
		Trust: o.trust, Logger: o.logger(slog.LevelWarn),
		Actors: actors.Options{Scripts: actors.Scripts{Warm: true}},
	})
	return o.own, err
}

func (o *mcpOptions) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		return
	}
	if err := o.own.Stop(); err != nil {
		o.warn("%v", err)
	}
}

// shorten returns the part of a value that a model reads.
func (o *mcpOptions) shorten(runID string, value json.RawMessage) (json.RawMessage, []string) {
	var notices []string
	tokens, set := o.configuredTokens(o.trust)
	if !set {
		tokens = agentTokens
	}
	s := shape{most: tokens * bytesPerToken, describes: true, keep: o.keepWhole}
	s.say = func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) }
	text, cut := s.printed(runID, value)
	if cut != nil && len(text) < len(value) {
		notices = []string{fmt.Sprintf("the value is %d bytes of JSON; this is its beginning. Return less, or read resource %s",
			len(value), mcpserver.ValueURI(runID, 0, s.most))}
	}
	return text, notices
}
