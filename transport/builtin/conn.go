package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/workspace"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Dialer opens servers of built-in tools. Its zero value is ready to use.
type Dialer struct {
	Host     upstream.Host
	Registry *Registry // nil: NewRegistry()
}

// Conn is a server of built-in tools. It is safe for concurrent use.
type Conn = upstream.Conn

// Dial opens the folder cfg.Root. The error is a *toolscript.Error: Invalid if the
// configuration names an unknown tool, Unavailable if the folder cannot be opened.
func (d Dialer) Dial(_ context.Context, name string, cfg upstream.Config, on upstream.Events) (*Conn, error) {
	registry := d.Registry
	if registry == nil {
		registry = NewRegistry()
	}
	workspace, err := tool.Open(cfg.Project, cfg.Root, d.Host)
	if link := (*files.LinkError)(nil); errors.As(err, &link) {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Permanent: true, Err: fmt.Errorf("its root folder: %w", err)}
	}
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: fmt.Errorf("open its root folder: %w", err)}
	}
	chosen := &upstream.List{}
	for _, wanted := range cfg.Tools {
		t, known := registry.Get(wanted)
		if !known {
			_ = workspace.Close() // nothing was changed
			return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: fmt.Errorf("there is no built-in tool %q", wanted)}
		}
		chosen.Add(runnable(workspace, t))
	}
	unconfined := ""
	if _, runs := chosen.Get(Exec.Name); runs {
		unconfined = unconfinedPrograms(workspace)
	}
	c := upstream.New(upstream.Options{
		Name: name, Info: upstream.Info{Title: "Built-in tools", Version: toolscript.Version, Instructions: unconfined},
		Tools: chosen, Events: on, Answers: d.Host.Answers, Check: workspace.Check,
		Closed: func() { _ = workspace.Close() }, // it was only read
	})
	workspace.Log, workspace.Settings, workspace.Env = c.Log, cfg.Settings, mcpclient.Environment(os.Environ(), cfg)
	workspace.Background = c.Background
	if unconfined != "" {
		c.Log(slog.LevelWarn, unconfined)
	}
	return c, nil
}

// runnable returns a tool that works in a workspace.
func runnable(w *tool.Workspace, t tool.Tool) upstream.Tool {
	return upstream.Tool{Tool: describe(t), Run: func(ctx context.Context, run string, args json.RawMessage) (any, error) {
		if err := workspace.Recover(w); err != nil {
			w.Log(slog.LevelError, err.Error())
		}
		return t.Run(tool.WithRun(ctx, run), w, args)
	}}
}

// describe returns the entry of a tool in the catalog.
func describe(t tool.Tool) toolscript.Tool {
	return toolscript.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: json.RawMessage(t.Input), OutputSchema: json.RawMessage(t.Output),
		Annotations: t.Annotations, RequiresApproval: t.RequiresApproval,
	}
}

// unconfinedPrograms returns a warning if the programs of exec lack a protection on this
// machine, or "".
func unconfinedPrograms(w *tool.Workspace) string {
	for _, part := range w.Confinement {
		if !part.Active {
			return fmt.Sprintf("Programs of the tool exec are not confined on this machine (%s): they can do what the user can.", part.Detail)
		}
	}
	return ""
}
