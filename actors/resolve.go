package actors

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// resolve finds a tool that a model may call; see resolveCall.
func (s *System) resolve(ctx context.Context, id string, allow toolscript.Filter, wait time.Duration) (toolscript.Tool, error) {
	return s.resolveCall(ctx, &toolscript.Call{ID: id, Wait: wait}, allow)
}

// resolveCall finds the tool of a call, which allow selects. If the id may belong to a server without tools,
// resolveCall has that server connect and waits for it up to the wait of the call. The id may then end with the name
// that scripts write for the tool, because scripts cannot know the server's own name before it connects. The error
// reveals nothing that allow excludes.
func (s *System) resolveCall(ctx context.Context, call *toolscript.Call, allow toolscript.Filter) (toolscript.Tool, error) {
	view, id := s.current(), call.ID
	tool, ok := toolOf(view, call)
	owner, name, away := absent(view, id)
	if !ok && away && allow.Reaches(owner.Name) {
		view = s.awaitOwner(ctx, owner.Name, call.Wait)
		if tool, ok = toolOf(view, call); !ok {
			tool, ok = written(view, owner.Name, name)
		}
		_, _, away = absent(view, id)
	}
	if owner := serverOf(view, id); !ok && owner != "" && allow.Reaches(owner) && s.Reread(ctx, owner) {
		view = s.current()
		if tool, ok = toolOf(view, call); !ok {
			tool, ok = written(view, owner, strings.TrimPrefix(id, owner+toolscript.Separator))
		}
	}
	switch {
	case ok && allow.Match(tool):
		return tool, nil
	case ok, away && !allow.Reaches(owner.Name), !away && !allow.Covers(id):
		return toolscript.Tool{}, runs.Forbidden(id, allow)
	default:
		return toolscript.Tool{}, s.missing(view, id, allow)
	}
}

// toolOf finds a tool by the id of a call.
func toolOf(view catalog.View, call *toolscript.Call) (toolscript.Tool, bool) {
	if call.FromApp {
		return view.Catalog.Find(call.ID)
	}
	return view.Catalog.Lookup(call.ID)
}

func (s *System) awaitOwner(ctx context.Context, server string, wait time.Duration) catalog.View {
	if wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		s.Await(ctx, toolscript.Filter{server})
	}
	return s.current()
}

// written finds a tool by its name or by the name that scripts write.
func written(view catalog.View, server, name string) (toolscript.Tool, bool) {
	if tool, ok := view.Catalog.Lookup(server + toolscript.Separator + name); ok {
		return tool, true
	}
	names, _ := view.Names().ByName(server)
	id, _ := view.Names().ID(names.Ident, name)
	return view.Catalog.Lookup(id)
}

// missing returns the error for an id that is not in the catalog: its server is not ready,
// or the tool does not exist. It starts an attempt to connect to a server that is not
// ready. It suggests only tools that allow selects.
func (s *System) missing(view catalog.View, id string, allow toolscript.Filter) error {
	if err := held(view, id, allow); err != nil {
		return err
	}
	if owner, tool, ok := absent(view, id); ok {
		s.want(owner.Name)
		return server.Refusal(owner.ServerStatus, tool)
	}
	if t, is := view.Catalog.Find(id); is && allow.Match(t) {
		return &toolscript.Error{Kind: toolscript.Forbidden, Server: t.Server, Tool: t.Name, Err: fmt.Errorf("%s is only for the app of its server: neither a script nor a model may call it", id)}
	}
	var ids []string
	for id, t := range view.Catalog.All() {
		if allow.Match(t) {
			ids = append(ids, id)
		}
	}
	near := cmp.Or(renamed(view, id, allow), naming.DidYouMean(naming.Nearest(id, ids, nearNames)))
	e := &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no tool %q%s", id, near)}
	if owner := serverOf(view, id); near == "" && owner != "" {
		e.Next = "see: " + toolscript.Command("list-tools", owner)
	} else if near == "" {
		e.Next = "see: toolscript list-servers"
	}
	return e
}

// renamed returns a hint to the name that the configuration gives to a tool, if id has the
// server's own name of the tool; else "".
func renamed(view catalog.View, id string, allow toolscript.Filter) string {
	for now, t := range view.Catalog.All() {
		own := ownName(t)
		if own == "" || !allow.Match(t) {
			continue
		}
		if name, of := strings.CutPrefix(id, t.Server+toolscript.Separator); of && (name == own || name == naming.Identifier(own)) {
			return "; overrides in the configuration name it " + now
		}
	}
	return ""
}

// serverOf returns the server in an id, or "".
func serverOf(view catalog.View, id string) (name string) {
	for _, candidate := range view.Servers {
		if strings.HasPrefix(id, candidate.Name+toolscript.Separator) && len(candidate.Name) > len(name) {
			name = candidate.Name
		}
	}
	return name
}

// absent finds the server of an id if that server is not ready. Of several candidates it
// returns the one with the longest name, because names may contain the separator.
func absent(view catalog.View, id string) (owner catalog.Server, tool string, ok bool) {
	for _, candidate := range view.Servers {
		rest, has := strings.CutPrefix(id, candidate.Name+toolscript.Separator)
		if has && !candidate.Serves() && len(candidate.Name) >= len(owner.Name) {
			owner, tool, ok = candidate, rest, true
		}
	}
	return owner, tool, ok
}

// fit returns the arguments to send, or an error that lists the violations of the
// tool's schema. A schema that cannot be applied refuses nothing.
func (s *System) fit(ctx context.Context, tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	invalid := &toolscript.Error{Kind: toolscript.Invalid, Server: tool.Server, Tool: tool.Name}
	args = rawjson.Whole(args)
	plain, page, paged, err := toolscript.CutPage(args)
	if err == nil && paged && !tool.Pages {
		err = fmt.Errorf("%s has no pages; call it without .pages", tool.ID())
	}
	if err != nil {
		invalid.Err = err
		return nil, invalid
	}
	sent, details, err := s.arguments.Fit(ctx, tool.InputSchema, plain)
	if err != nil {
		invalid.Kind, invalid.Err = toolscript.KindOf(err), err
		return nil, invalid
	}
	if len(details) > 0 {
		invalid.Details = details
		invalid.Err = fmt.Errorf("the arguments do not fit the schema of %s: %s", tool.ID(), summary(details))
		return nil, invalid
	}
	if !paged {
		return sent, nil
	}
	return toolscript.AddPage(sent, page)
}

// breaks describes how a value violates an output schema; "" if it does not, or if the schema cannot be applied.
func (s *System) breaks(ctx context.Context, schema, value json.RawMessage) string {
	details, err := s.arguments.Violations(ctx, schema, value)
	if err != nil {
		return ""
	}
	return summary(details[:min(len(details), mostShown)])
}

const mostShown = 3 // violations in an error

// fitted returns a value without its optional members that are null, or an error that lists the violations of a
// schema.
func (s *System) fitted(ctx context.Context, schema, value json.RawMessage) (json.RawMessage, error) {
	sent, details, err := s.arguments.Fit(ctx, schema, value)
	if err == nil && len(details) > 0 {
		err = errors.New(summary(details[:min(len(details), mostShown)]))
	}
	return sent, err
}

// summary joins violations to one line.
func summary(details []toolscript.Detail) string {
	var parts []string
	for _, d := range details {
		if d.Path == "" {
			parts = append(parts, d.Message)
		} else {
			parts = append(parts, d.Path+": "+d.Message)
		}
	}
	return strings.Join(parts, "; ")
}
