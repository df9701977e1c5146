package harness

import (
	"context"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// narrow narrows Options.Allow to ToolPack and AllowedTools, as documented there. If an entry is
// unknown, narrow first waits for servers that are connecting.
func (p *process) narrow(ctx context.Context) error {
	o := &p.options
	if o.ToolPack == "" && o.AllowedTools == nil {
		return nil
	}
	entries := slices.Clone(o.AllowedTools)
	if o.ToolPack != "" {
		tools, all, err := o.Packs.Tools(o.ToolPack)
		if err != nil || all {
			return err
		}
		entries = append(entries, tools...)
	}
	if slices.ContainsFunc(entries, func(entry string) bool { return !p.known(entry) }) {
		waiting, cancel := context.WithTimeout(ctx, toolscript.ConnectWait)
		p.gateway.Await(waiting, o.Allow)
		cancel()
	}
	names, allowed := p.gateway.Names(), toolscript.Filter{}
	for id, tool := range p.gateway.Catalog().All() {
		if o.Allow.Match(tool) && slices.ContainsFunc(entries, func(entry string) bool {
			return tool.Is(entry) || tool.Server == entry || toolscript.WithoutAccount(tool.Server) == entry || id == names.Resolve(entry)
		}) {
			allowed = append(allowed, id)
		}
	}
	for _, entry := range entries { // entries for tools of servers that are not connected
		if strings.Contains(entry, toolscript.Separator) && o.Allow.Covers(entry) && !slices.Contains(allowed, entry) {
			allowed = append(allowed, entry)
		}
	}
	o.Allow = allowed
	return nil
}

// known reports whether the catalog has a tool or server for the entry.
func (p *process) known(entry string) bool {
	for _, tool := range p.gateway.Catalog().All() {
		if tool.Is(entry) || tool.Server == entry || toolscript.WithoutAccount(tool.Server) == entry {
			return true
		}
	}
	return false
}
