package runs

import (
	"slices"
	"time"

	"github.com/toolscript/toolscript"
)

// mostAdvised is the maximum number of tools that are named for one server: those with the
// largest definitions.
const mostAdvised = 10

// worthwhile is the minimum size of the definitions, in tokens, for advice about unused
// tools of a server that is used.
const worthwhile = 200

// advise returns advice about servers without calls, and about unused tools of the other servers.
func advise(r *UsageReport, excluded map[string][]string, observed time.Duration) []UsageAdvice {
	out := []UsageAdvice{}
	for _, s := range r.Servers {
		if !s.Configured || s.Tools == 0 {
			continue
		}
		a := UsageAdvice{Server: s.Server, Tokens: s.Definitions.Plain, Do: toolscript.Command("disable", s.Server)}
		if s.Definitions.Since != nil {
			a.Since = *s.Definitions.Since
		}
		if s.Calls > 0 {
			a = ofTools(r.Tools, s.Server, excluded[s.Server], r.Until.Add(-observed))
		}
		if a.Tokens == 0 || s.Calls > 0 && a.Tokens < worthwhile {
			continue
		}
		if a.Young = r.Until.Sub(a.Since) < observed; a.Young {
			a.Do = ""
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b UsageAdvice) int { return b.Tokens - a.Tokens })
	return out
}

// ofTools returns advice about unused tools of a server that have been known since a time.
func ofTools(tools []ToolUsage, server string, excluded []string, since time.Time) UsageAdvice {
	a := UsageAdvice{Server: server}
	tools = slices.DeleteFunc(slices.Clone(tools), func(t ToolUsage) bool {
		young := t.Definitions.Since == nil || t.Definitions.Since.After(since)
		return t.Server != server || !t.Offered || t.Calls > 0 || young
	})
	slices.SortStableFunc(tools, func(a, b ToolUsage) int { return b.Definitions.Plain - a.Definitions.Plain })
	for _, t := range tools[:min(len(tools), mostAdvised)] {
		a.Tools = append(a.Tools, t.own)
		a.Tokens += t.Definitions.Plain
		if t.Definitions.Since.After(a.Since) {
			a.Since = *t.Definitions.Since
		}
	}
	names, err := toolscript.PlainJSON(slices.Concat(excluded, a.Tools))
	if err != nil {
		panic(err) // a list of texts always encodes
	}
	a.Do = `"excludeTools": ` + string(names)
	return a
}
