package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// listLimit bounds the wait for one server where all are asked for a list: the
// slowest one must not keep the entries of the others back.
const listLimit = 15 * time.Second

// Fetch asks servers for what they offer beside tools. The answer is a
// toolscript.Page in JSON, or a resource or a prompt as the server sent it. Where
// all servers are asked, those that cannot answer are among the missing, and
// those without anything of the kind are not. Nothing is cached.
//
// The error is a *toolscript.Error, as of CallTool: NotFound for a server that
// there is not or that announces nothing of the kind, Forbidden for one outside
// o.Allow, Invalid for a cursor of another list.
func (s *System) Fetch(ctx context.Context, o toolscript.Offered) (json.RawMessage, error) {
	view, start := s.current(), time.Now()
	result, err := s.fetch(ctx, view, o)
	s.logCall(view, toolscript.Call{ID: o.ID, Run: o.Run, RequestID: o.RequestID}, time.Since(start), err)
	return result, err
}

func (s *System) fetch(ctx context.Context, view registry.View, o toolscript.Offered) (result json.RawMessage, err error) {
	defer s.recovered(&err)
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	ctx, cancel := bounded(ctx, callLimit)
	defer cancel()
	if o.Server == "" {
		return s.fetchAll(ctx, view, o)
	}
	if err := reachable(view, o, o.Server); err != nil {
		return nil, err
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
	return json.Marshal(page)
}

// reachable says why a server cannot be asked.
func reachable(view registry.View, o toolscript.Offered, name string) error {
	var names []string
	for _, s := range view.Servers {
		if s.Name == name && !o.Admits(name) {
			return &toolscript.Error{Kind: toolscript.Forbidden, Server: name, Err: fmt.Errorf(
				"%s of %s is not among what this run may call (--allow %s); it takes %s, %s or %s there",
				o.ID, name, o.Allow, name, o.Member(), o.ID)}
		}
		if s.Name == name {
			return nil
		}
		if o.Admits(s.Name) {
			names = append(names, s.Name)
		}
	}
	text := fmt.Sprintf("there is no server %q", name)
	if near := toolscript.Nearest(name, names, nearNames); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	} else {
		text += "; see: toolscript list-servers"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

// fetchFrom asks one server.
func (s *System) fetchFrom(ctx context.Context, o toolscript.Offered) (json.RawMessage, error) {
	at, ok := s.directory.find(serverID(o.Server))
	if !ok {
		ended := *mailbox.ErrEnded
		ended.Server = o.Server
		return nil, &ended
	}
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[json.RawMessage]) any {
		return server.Call{Ctx: ctx, Run: o.Run, Fetch: &o, Reply: r}
	})
}

// page asks one server for a page. Its cursor is the server's own.
func (s *System) page(ctx context.Context, o toolscript.Offered) (toolscript.Page, error) {
	page := toolscript.Page{Of: o.Collection()}
	raw, err := s.fetchFrom(ctx, o)
	if err != nil {
		return page, err
	}
	return page, json.Unmarshal(raw, &page)
}

// fetchAll makes a page of the next page of every server that has one.
func (s *System) fetchAll(ctx context.Context, view registry.View, o toolscript.Offered) (json.RawMessage, error) {
	if o.Collection() == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("which server is to be asked is missing")}
	}
	cursors, err := parseCursor(o)
	if err != nil {
		return nil, err
	}
	names := asked(view, o, cursors)
	if len(names) == 0 && o.Allow != nil {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"%s is not among what this run may call (--allow %s); it takes a server, %s or %s there", o.ID, o.Allow, o.Member(), o.ID)}
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
	<-group.Idle() // when ctx ends at the latest
	return json.Marshal(joined(o.Collection(), names, pages, failures))
}

// asked are the servers of a page: those that its cursor names, or all.
func asked(view registry.View, o toolscript.Offered, cursors map[string]string) []string {
	var names []string
	for _, s := range view.Servers {
		if _, more := cursors[s.Name]; o.Admits(s.Name) && (more || cursors == nil) {
			names = append(names, s.Name)
		}
	}
	return names
}

// joined is one page of the pages of servers.
func joined(of toolscript.Collection, names []string, pages []toolscript.Page, failures []error) toolscript.Page {
	all, next := toolscript.Page{Of: of}, map[string]string{}
	for i, name := range names {
		switch err := failures[i]; {
		case errors.Is(err, mcpclient.ErrNotOffered):
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
