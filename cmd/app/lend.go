package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Lent finds the servers of a project that already run in the user's gateway: those that the
// project's file leaves as the user has defined them. A daemon of this process uses them there,
// and starts only the project's own servers. Lent returns nil if there is no such gateway, or
// if there are approvals or a profile, which the gateway and the daemon would both apply.
func (f *Finder) Lent(ctx context.Context, loaded *config.Config) *daemon.Lent {
	project := slices.ContainsFunc(loaded.Files, func(file config.File) bool { return file.Project && file.Found })
	if !project || f.URL != "" || len(loaded.Settings.Approvals) > 0 || loaded.Settings.Profile != "" {
		return nil
	}
	o := f.Host.ConfigOptions(false)
	o.NoProject, o.Extra = true, config.Extra{}
	user, err := config.Load(o)
	if err != nil {
		return nil // loaded has its servers
	}
	lent := map[string]upstream.Config{}
	for name, c := range user.Servers {
		if lendable(c) && reflect.DeepEqual(c, loaded.Servers[name]) {
			lent[name] = c
		}
	}
	if len(lent) == 0 || len(user.Settings.Approvals) > 0 || user.Settings.Profile != "" {
		return nil
	}
	g := f.ofUser(ctx, config.Paths(user.Files))
	if g == nil {
		return nil
	}
	l := &lender{gateway: g, lent: lent}
	return &daemon.Lent{Has: l.has, Dial: l.dial, Close: g.Close}
}

// lendable reports whether a server has its own process or session. Other servers cost
// nothing to open twice, or are shared in any case.
func lendable(c upstream.Config) bool {
	return c.Kind().MCP && c.Shared == "" && !c.Disabled && c.Problem == nil
}

// ofUser returns the newest gateway of this version that answers, or nil.
func (f *Finder) ofUser(ctx context.Context, paths []string) *Gateway {
	places, err := f.Places()
	if err != nil {
		return nil
	}
	entries, err := places.Find(discovery.Session(f.Host.Config.LookupEnv), paths)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		g, err := Dial(ctx, e.URL)
		if err != nil {
			continue
		}
		if g.Difference() == "" {
			return g
		}
		g.Close()
	}
	return nil
}

// lender gives access to servers of another gateway.
type lender struct {
	gateway *Gateway
	lent    map[string]upstream.Config
}

func (l *lender) has(name string, c upstream.Config) bool {
	known, ok := l.lent[name]
	return ok && reflect.DeepEqual(known.Connection(), c.Connection())
}

// dial opens a server in the gateway. It returns nil without an error if the gateway has
// ended or no longer has the server.
func (l *lender) dial(ctx context.Context, name string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
	wait := HealthTime
	if at, bounded := ctx.Deadline(); bounded {
		wait = max(time.Until(at)-time.Second, 0) // so that the reason is known in time
	}
	servers, err := l.gateway.Servers(ctx, toolscript.Filter{name}, wait)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // see above
	}
	i := slices.IndexFunc(servers, func(s toolscript.ServerStatus) bool { return s.Name == name })
	if i < 0 {
		return nil, nil //nolint:nilnil // see above
	}
	if s := servers[i]; !s.State.Serves() {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: fmt.Errorf(
			"in the gateway at %s it is in state %s: %s", l.gateway.Host(), s.State, cmp.Or(s.Error, "see: toolscript list-servers"))}
	}
	c := &lentConn{gateway: l.gateway, name: name, on: on, gone: make(chan struct{}), info: upstream.Info{
		Title: servers[i].Title, Instructions: servers[i].Instructions,
	}}
	return c, nil
}

// lentConn is a connection to a server in another gateway, which applies the limits of calls.
type lentConn struct {
	gateway *Gateway
	name    string
	info    upstream.Info
	on      upstream.Events
	ids     sync.Map // ids of the tools in the gateway, by tool name
	gone    chan struct{}
	close   sync.Once
}

// Info implements server.Conn.
func (c *lentConn) Info() upstream.Info { return c.info }

// ListTools returns the tools and skills as the server lists them, because this process presents them itself.
func (c *lentConn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	listed, err := c.gateway.Tools(ctx, toolscript.Filter{c.name}, 0)
	if err != nil {
		return nil, err
	}
	var tools []toolscript.Tool
	for _, t := range listed.Tools {
		if t.ServerName != c.name {
			continue
		}
		own := toolscript.Tool{
			Server: c.name, Name: t.ToolName, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Annotations: t.Annotations, Original: t.Original,
		}.Own()
		c.ids.Store(own.Name, t.QualifiedName)
		tools = append(tools, own)
	}
	skills, err := c.skills(ctx)
	return append(tools, skills...), err
}

// maxSkillPages is more than the pages of the skills of a server.
const maxSkillPages = 100

// skills returns the skills of the server.
func (c *lentConn) skills(ctx context.Context) (skills []toolscript.Tool, err error) {
	o := toolscript.FetchRequest{ID: toolscript.ListSkills}
	for range maxSkillPages {
		raw, err := c.Fetch(ctx, o, nil)
		page := toolscript.Page{Of: toolscript.Skills}
		if err == nil {
			err = json.Unmarshal(raw, &page)
		}
		if err != nil {
			return nil, err
		}
		for _, entry := range page.Entries {
			if skill, err := toolscript.ParseSkill(c.name, entry); err == nil {
				skills = append(skills, skill)
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			break
		}
	}
	return skills, nil
}

// Start implements server.Conn.
func (c *lentConn) Start(t upstream.ToolCall) upstream.Started {
	return t.Go(func(ctx context.Context) (json.RawMessage, error) {
		id, known := c.ids.Load(t.Tool)
		if !known {
			return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: c.name, Tool: t.Tool, Err: errors.New("there is no such tool")}
		}
		return c.gateway.CallTool(ctx, toolscript.Call{ID: id.(string), Args: t.Args})
	})
}

// KeepsLimit reports whether the gateway applies the time limit of a call. It does so as
// long as it answers.
func (c *lentConn) KeepsLimit(ctx context.Context, _ upstream.Started) bool {
	return c.Ping(ctx) == nil
}

// Fetch implements server.Conn.
func (c *lentConn) Fetch(ctx context.Context, o toolscript.FetchRequest, _ func()) (json.RawMessage, error) {
	if toolscript.IsAnnouncement(o.ID) {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: c.name, Err: fmt.Errorf("%w subscriptions, because another gateway has it", upstream.ErrNoCapability)}
	}
	o.Server = c.name
	return c.gateway.Fetch(ctx, o)
}

// Ping implements server.Conn.
func (c *lentConn) Ping(ctx context.Context) error {
	if _, err := c.gateway.Health(ctx); err != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: fmt.Errorf("%w: %w", upstream.ErrUnreachable, err)}
	}
	return nil
}

// Lost implements server.Conn.
func (c *lentConn) Lost() <-chan struct{} { return c.gone }

// Err implements server.Conn.
func (c *lentConn) Err() error {
	select {
	case <-c.gone:
		return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: errors.New("the connection was closed")}
	default:
		return nil
	}
}

// Stderr implements server.Conn. It returns nothing: the gateway's log has the lines.
func (c *lentConn) Stderr() []string { return nil }

// Close implements server.Conn. The server continues in its gateway.
func (c *lentConn) Close() error {
	c.close.Do(func() { close(c.gone) })
	return nil
}
