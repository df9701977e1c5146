package api

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Direct answers the requests of Client from a Backend in this process.
type Direct struct {
	Backend Backend
	Allow   toolscript.Filter // the tools that the caller may see; nil: all
	Profile string            // the profile that Allow comes from, for errors; "": no profile
}

func (x *exchange) direct() Direct { return Direct{x.server.backend, x.allow, x.profile} }

// await calls wanted, which is Await or AwaitLists of the backend, for at most wait.
func await(ctx context.Context, f toolscript.Filter, wait time.Duration, wanted func(context.Context, toolscript.Filter) (waitedFor, pending []string)) (waitedFor []string, err error) {
	if wait <= 0 {
		return nil, nil
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	waitedFor, _ = wanted(waiting, f)
	return waitedFor, toolscript.ContextError(ctx)
}

// Servers returns all configured servers, sorted by name. Before that, it waits up to wait
// for the connecting servers that f selects.
func (d Direct) Servers(ctx context.Context, f toolscript.Filter, wait time.Duration) ([]toolscript.ServerStatus, error) {
	if _, err := await(ctx, f, wait, d.Backend.Await); err != nil {
		return nil, err
	}
	servers, err := d.Backend.Servers(ctx)
	return orEmpty(servers), err
}

// Tools returns the tools that f selects, sorted by id. A tool of several accounts is listed once. Before that,
// Tools waits up to wait for the servers that f selects and whose tools are not known.
func (d Direct) Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (Tools, error) {
	waitedFor, err := await(ctx, f, wait, d.Backend.AwaitLists)
	if err != nil {
		return Tools{}, err
	}
	answer := Tools{Tools: []ToolInfo{}, Selection: d.Backend.Select(f, d.Allow)}
	answer.WaitedFor = waitedFor
	catalog := d.Backend.Catalog()
	for _, t := range catalog.Filter(f).Filter(d.Allow).OneAccount().Tools() {
		info := infoOf(t)
		info.Accounts = catalog.Accounts(t.Server)
		answer.Tools = append(answer.Tools, info)
	}
	return answer, nil
}

// AppTools returns the tools of the servers with a page, as far as Allow selects them. It includes tools that only
// apps may call. A tool of several accounts is listed once.
func (d Direct) AppTools() Tools {
	answer := Tools{Tools: []ToolInfo{}}
	for _, t := range d.Backend.Catalog().Filter(d.Allow).OneAccount().OfApps() {
		answer.Tools = append(answer.Tools, infoOf(t))
	}
	return answer
}

// CallTool makes a call, as Backend.CallTool does. The error is Forbidden for a tool that Allow excludes.
func (d Direct) CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
	if tool, known := d.Backend.Catalog().Find(call.ID); known && call.Run == "" {
		if err := d.permits(tool); err != nil {
			return nil, err
		}
	}
	return d.Backend.CallTool(upstream.WithAllow(ctx, d.Allow), call) // the call may lead to other calls
}

// Describe describes one tool. The error is Forbidden for a tool that Allow excludes.
func (d Direct) Describe(ctx context.Context, name string) (toolscript.ToolDescription, error) {
	tool, err := d.Backend.Describe(ctx, name)
	if err == nil {
		err = d.permits(toolscript.Tool{Server: tool.ServerName, Name: tool.ToolName})
	}
	if err != nil {
		return toolscript.ToolDescription{}, err
	}
	return tool, nil
}

// Refresh is like Describe, but first brings the list of tools up to date; see Backend.Reread.
func (d Direct) Refresh(ctx context.Context, name string) (toolscript.ToolDescription, error) {
	tool, err := d.Describe(ctx, name)
	if err != nil || !d.Backend.Reread(ctx, tool.ServerName) {
		return tool, err
	}
	return d.Describe(ctx, name)
}

func (d Direct) permits(t toolscript.Tool) error {
	if d.Allow.Match(t) {
		return nil
	}
	return &toolscript.Error{Kind: toolscript.Forbidden, Server: t.Server, Tool: t.Name, Err: fmt.Errorf("the profile %s does not have %s", d.Profile, t.ID())}
}

// Types returns the module of the tools that f selects. It waits as Tools does.
func (d Direct) Types(ctx context.Context, f toolscript.Filter, form Form, wait time.Duration) (Types, error) {
	waitedFor, err := await(ctx, f, wait, d.Backend.AwaitLists)
	if err != nil {
		return Types{}, err
	}
	m, err := d.module(ctx, f, form)
	if err != nil {
		return Types{}, err
	}
	answer := Types{Module: m.Text, Generation: m.Generation, Tools: m.Tools, Example: m.Example, Selection: d.Backend.Select(f, d.Allow)}
	answer.WaitedFor = waitedFor
	return answer, nil
}

// module returns the module of the tools that both f and Allow select.
func (d Direct) module(ctx context.Context, f toolscript.Filter, form Form) (toolscript.Module, error) {
	if d.Allow != nil {
		selected := d.Backend.Catalog().Filter(f).Filter(d.Allow)
		f = toolscript.Filter{}
		for id := range selected.All() {
			f = append(f, id)
		}
	}
	if form == Declarations {
		return d.Backend.Declarations(ctx, f)
	}
	return d.Backend.Types(ctx, f, form == Compact)
}
