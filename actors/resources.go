package actors

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// listLimit bounds the wait for one server when all servers are listed: a slow server
// must not delay the entries of the others.
const listLimit = 15 * time.Second

// Fetch lists or reads resources, prompts and skills. The answer is a toolscript.Page as JSON, or a resource or a
// prompt as the server sent it. In a list of all servers, servers that could not answer are named as missing.
// Servers without resources or prompts are not. Only the list of skills is cached. The name of a server with
// accounts stands for its default account.
//
// The error is a *toolscript.Error as in CallTool: NotFound for an unknown server or one that does not offer the
// kind, Forbidden for a server that o.Allow excludes, Invalid for a cursor of another list.
func (s *System) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	view, start := s.current(), time.Now()
	o.Server = withAccount(view, o.Server)
	if o.Server != "" {
		o.Origin = new(toolscript.Origin)
	}
	result, err := s.fetch(ctx, view, o)
	call := toolscript.Call{ID: o.ID, Run: o.Run, CallID: o.CallID, RequestID: o.RequestID, Trace: o.Trace, Origin: o.Origin}
	call.Args = auditedFetch(o)
	err = settled(view, call, err)
	s.ended(view, call, time.Since(start), result, err)
	return result, err
}

// withAccount returns the name of a server with its default account, if it has accounts.
func withAccount(view catalog.View, name string) string {
	if accounts := view.Catalog.Accounts(name); len(accounts) > 0 && toolscript.WithoutAccount(name) == name {
		return name + toolscript.AccountSeparator + accounts[0]
	}
	return name
}

func (s *System) fetch(ctx context.Context, view catalog.View, o toolscript.FetchRequest) (result json.RawMessage, err error) {
	defer rescue.Catch(s.panicked(&err))
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	ctx, cancel := bounded(ctx, server.MaxCall)
	defer cancel()
	if o.Member() == toolscript.SkillsMember {
		return s.skills(ctx, view, o)
	}
	if o.Server == "" {
		return s.fetchAll(ctx, view, o)
	}
	if o.ID == toolscript.ReadResource && view.Catalog.HasPage(o.Server, o.URI, o.Allow) {
		o.Selected = false // the page belongs to a tool that is selected
		return s.fetchFrom(ctx, o)
	}
	if err := reachable(view, o, o.Server); err != nil {
		return nil, err
	}
	if o.ID == toolscript.ReadResource {
		return s.readResource(ctx, view, o)
	}
	if o.Collection() == "" {
		return s.fetchFrom(ctx, o)
	}
	cursors, err := parseCursor(o)
	if err != nil {
		return nil, err
	}
	if o.Cursor = cursors[o.Server]; o.Cursor == "" && cursors != nil {
		return nil, errCursor
	}
	page, err := s.page(ctx, o)
	if err != nil {
		return nil, err
	}
	page.Next = cursor{o.Collection(): {o.Server: page.Next}}.text(&page)
	return toolscript.PlainJSON(page)
}

// reachable returns an error if the request may not reach the server.
func reachable(view catalog.View, o toolscript.FetchRequest, name string) error {
	var names []string
	for _, s := range view.Servers {
		if s.Name == name && !o.Admits(name) {
			return &toolscript.Error{Kind: toolscript.Forbidden, Server: name, Err: fmt.Errorf(
				"this run may not call %s for %s (--allow %s); allow %s, %s or %s",
				o.ID, name, o.Allow, name, o.Member(), o.ID)}
		}
		if s.Name == name {
			return nil
		}
		if o.Admits(s.Name) {
			names = append(names, s.Name)
		}
	}
	near := cmp.Or(naming.DidYouMean(naming.Nearest(name, names, nearNames)), "; see: toolscript list-servers")
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no server %q%s", name, near)}
}

// fetchFrom sends the request to one server.
func (s *System) fetchFrom(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	return s.sendAndWait(ctx, o.Server, server.Call{Wait: o.Wait, Run: o.Run, Trace: o.Trace, Fetch: &o})
}

// page returns a page of one server, with the server's own cursor.
func (s *System) page(ctx context.Context, o toolscript.FetchRequest) (toolscript.Page, error) {
	page := toolscript.Page{Of: o.Collection()}
	raw, err := s.fetchFrom(ctx, o)
	if err != nil {
		return page, err
	}
	return page, json.Unmarshal(raw, &page)
}

// fetchAll joins the next pages of all servers to one page.
func (s *System) fetchAll(ctx context.Context, view catalog.View, o toolscript.FetchRequest) (json.RawMessage, error) {
	if o.Collection() == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the server is missing")}
	}
	cursors, err := parseCursor(o)
	if err != nil {
		return nil, err
	}
	names := asked(view, o, cursors)
	if len(names) == 0 && o.Allow != nil {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"this run may not call %s (--allow %s); allow a server, %s or %s", o.ID, o.Allow, o.Member(), o.ID)}
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	pages, failures := make([]toolscript.Page, len(names)), make([]error, len(names))
	var group mailbox.Group
	for i, name := range names {
		one := o
		one.Server, one.Cursor = name, cursors[name]
		group.Go(func() { pages[i], failures[i] = s.page(ctx, one) }, func(err error) { failures[i] = err })
	}
	<-group.Idle() // at the latest when ctx ends
	return toolscript.PlainJSON(joined(o.Collection(), names, pages, failures))
}

// asked returns the servers of a page: those in its cursor, or all. It omits servers that run
// in this process: they have no resources, and one of them may be the caller.
func asked(view catalog.View, o toolscript.FetchRequest, cursors map[string]string) []string {
	var names []string
	for _, s := range view.Servers {
		if _, more := cursors[s.Name]; o.Admits(s.Name) && (more || cursors == nil) && !upstream.KindOf(s.Type).Functions {
			names = append(names, s.Name)
		}
	}
	return names
}

// joined joins the pages of servers.
func joined(of toolscript.Collection, names []string, pages []toolscript.Page, failures []error) toolscript.Page {
	all, next := toolscript.Page{Of: of}, map[string]string{}
	for i, name := range names {
		switch err := failures[i]; {
		case errors.Is(err, upstream.ErrNoCapability):
		case err != nil:
			all.Missing = append(all.Missing, toolscript.Missing{Server: name, Kind: toolscript.KindOf(err), Error: err.Error()})
		default:
			all.Entries = append(all.Entries, pages[i].Entries...)
			all.Missing = append(all.Missing, pages[i].Missing...)
			next[name] = pages[i].Next
		}
	}
	all.Next = cursor{of: next}.text(&all)
	return all
}

// cursor holds the cursors of servers, by collection and server. It is opaque to
// clients.
type cursor map[toolscript.Collection]map[string]string

var errCursor = &toolscript.Error{
	Kind: toolscript.Invalid,
	Err:  errors.New("the cursor does not belong to this list; omit it for the first page"),
}

// parseCursor returns the cursors of servers in the cursor of a request; nil means the first page. A forged cursor
// reaches only servers that o admits.
func parseCursor(o toolscript.FetchRequest) (map[string]string, error) {
	if o.Cursor == "" {
		return nil, nil
	}
	if len(o.Cursor) > toolscript.MaxCursor {
		return nil, errCursor
	}
	text, err := base64.RawURLEncoding.DecodeString(o.Cursor)
	if err != nil {
		return nil, errCursor
	}
	var c cursor
	if json.Unmarshal(text, &c) != nil || len(c[o.Collection()]) == 0 {
		return nil, errCursor
	}
	return c[o.Collection()], nil
}

// text encodes the cursor for clients; "" if no server has another page. If the text is
// too long for a URL, the last servers are omitted and become missing in the page.
func (c cursor) text(page *toolscript.Page) string {
	more := c[page.Of]
	maps.DeleteFunc(more, func(_, next string) bool { return next == "" })
	for len(more) > 0 {
		text, err := toolscript.PlainJSON(c)
		if err != nil {
			panic(err) // strings can always be encoded
		}
		if encoded := base64.RawURLEncoding.EncodeToString(text); len(encoded) <= toolscript.MaxCursor {
			return encoded
		}
		last := slices.Max(slices.Collect(maps.Keys(more)))
		delete(more, last)
		page.Missing = append(page.Missing, toolscript.Missing{
			Server: last, Kind: toolscript.TooLarge, Error: "its other entries do not fit into one list; list this server alone",
		})
	}
	return ""
}
