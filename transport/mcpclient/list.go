package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Limits for the tool list of one server. The largest real servers have a few hundred
// tools.
const (
	maxPages  = 1000
	maxTools  = 10_000
	maxListed = maxMessage // bytes of all pages together
)

// listing collects the tools of a server page by page.
type listing struct {
	server  string
	redact  upstream.Redactor
	warn    func(format string, args ...any)
	headers bool // parameters of tools may be repeated in HTTP headers
	tools   []toolscript.Tool
	names   map[string]bool
	tasks   map[string]bool // tools that can only be called as a task
	cursors map[string]bool
	size    int
}

type page struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"`
	TTLMs      *int64            `json:"ttlMs"` // how long the list may be used, in MCP 2026-07-28
}

// ListTools returns all tools of the server, in the server's order and with unchanged schemas, and
// after them its skills. It leaves out invalid tools and truncates a list above the limits, and
// reports both to Events.Log. It does not apply IncludeTools and ExcludeTools.
func (c *Conn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	about := toolscript.Error{Server: c.name}
	l := &listing{
		server:  c.name,
		redact:  c.redact,
		warn:    func(format string, args ...any) { c.on.Logf(slog.LevelWarn, format, args...) },
		names:   make(map[string]bool),
		tasks:   make(map[string]bool),
		cursors: make(map[string]bool),
	}
	if _, overHTTP := c.peer.(httpPeer); overHTTP {
		l.headers = c.dialect.modern()
	}
	params := map[string]any{}
	for {
		raw, err := c.request(ctx, about, "tools/list", params, nil)
		if !c.announcesTools && isMethodNotFound(err) {
			return c.listSkills(ctx, l.names), nil // the server has only prompts or resources
		}
		if err != nil {
			return nil, err
		}
		var p page
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("its answer to tools/list cannot be read: %w", err))
		}
		if l.add(p, len(raw)); !l.more(p.NextCursor) {
			c.listAge.Store(int64(p.age()))
			c.remember(l.tools)
			c.tasks.setOnly(l.tasks)
			return append(l.tools, c.listSkills(ctx, l.names)...), nil
		}
		params = map[string]any{"cursor": p.NextCursor}
	}
}

// How long a list of tools is used: listAge if the server sets no time, otherwise the time that the server sets,
// between shortestAge and longestAge.
const (
	listAge     = 5 * time.Minute
	longestAge  = 24 * time.Hour
	shortestAge = time.Second
)

// age returns how long the list with this page may be used.
func (p page) age() time.Duration {
	if p.TTLMs == nil {
		return listAge
	}
	return max(shortestAge, time.Duration(min(max(*p.TTLMs, 0), longestAge.Milliseconds()))*time.Millisecond)
}

// ListAge returns how long the list of ListTools may be used before it must be requested again; 0 if there is no
// limit, because the server announces changes.
func (c *Conn) ListAge() time.Duration {
	if f, ok := c.peer.(httpPeer); c.announces.Load() && (!ok || c.dialect.modern() || f.Listens()) {
		return 0
	}
	return time.Duration(c.listAge.Load())
}

func isMethodNotFound(err error) bool {
	var e *toolscript.Error
	return errors.As(err, &e) && e.RPCCode == mcp.METHOD_NOT_FOUND
}

// more reports whether another page should be requested.
func (l *listing) more(cursor string) bool {
	switch {
	case cursor == "":
		return false
	case l.cursors[cursor]:
		l.warn("tools/list: the server gave the same cursor twice; the pages behind it are left out")
	case len(l.cursors)+1 == maxPages, len(l.tools) == maxTools, l.size > maxListed:
		l.warn("tools/list: the list is too long; what follows the first %d tools is left out", len(l.tools))
	default:
		l.cursors[cursor] = true
		return true
	}
	return false
}

func (l *listing) add(p page, size int) {
	l.size += size
	for _, raw := range p.Tools {
		if len(l.tools) == maxTools {
			l.warn("tools/list: more than %d tools; the others are left out", maxTools)
			return
		}
		t, err := l.tool(raw)
		if err == nil && l.headers {
			err = mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: t.Name, RawInputSchema: t.InputSchema})
		}
		switch {
		case err != nil:
			l.warn("tools/list: left out %s: %v", l.redact.Quote(raw), err)
		case l.names[t.Name]:
			l.warn("tools/list: the tool %q is listed twice; the first entry is used", t.Name)
		default:
			l.names[t.Name] = true
			l.tools = append(l.tools, t)
		}
	}
}
