package runs

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/texts"
)

// ReadUsage computes from an audit what tools and their results cost in the context of models, and
// what they would have cost as plain tool calls.
func ReadUsage(dir string, q UsageQuery, c UsageConfigured) (*UsageReport, error) {
	f, err := read(dir, q)
	if err != nil {
		return nil, err
	}
	r := &UsageReport{Since: q.Since, Until: q.Now, Other: f.other, Estimated: f.guessed, Servers: []ServerUsage{}, Tools: []ToolUsage{}, Exclude: []UsageAdvice{}}
	for _, one := range f.runs {
		if one.selected {
			r.Runs++
		}
	}
	r.Sessions = len(f.sessions)
	known := c.read()
	r.Tools = append(r.Tools, known.tools...)
	r.add(f.calls, known.names)
	r.sum(known)
	if q.Server == "" {
		r.Work = f.work(known, q.Runs != nil)
	}
	r.narrow(q.Server)
	if q.Runs == nil && r.Sessions > 0 {
		r.Exclude = advise(r, known.excluded, min(ObservedUsage, q.Now.Sub(q.Since)))
	}
	return r, nil
}

// known holds the servers and the tools of the current configuration.
type known struct {
	names   []string // names of its servers
	tools   []ToolUsage
	offers  map[string]audit.Offer
	offered map[string]int // tokens of the definitions by server

	excluded map[string][]string // excludeTools of the configuration by server
}

// read counts the definitions of the tools that the servers last listed.
func (c UsageConfigured) read() known {
	k := known{offers: map[string]audit.Offer{}, offered: map[string]int{}, excluded: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		config := c.Servers[name]
		if config.Disabled {
			continue
		}
		k.names = append(k.names, name)
		k.excluded[name] = config.ExcludeTools
		last, _ := c.Cache.Last(name, config)
		tools, _ := config.Offered(name, last.Tools, nil)
		catalog := toolscript.NewCatalog(1, []string{name}, tools)
		maps.Copy(k.offers, audit.Offers(catalog.Tools()))
		names := naming.New(catalog)
		for _, t := range catalog.Tools() {
			one := ToolUsage{Server: name, Tool: t.ID(), Offered: true, own: t.Name}
			if t.Original != nil && t.Original.Name != "" {
				one.own = t.Original.Name
			}
			one.Definitions.Plain = texts.Tokens(audit.Definition(t))
			one.Definitions.Compact = texts.Tokens(new(codegen.Generator).Render(catalog, names, []string{t.ID()}, codegen.Options{Form: codegen.Compact}).Text)
			if at, ok := last.Since[one.own]; ok {
				one.Definitions.Since = &at
			}
			k.offered[name] += one.Definitions.Plain
			k.tools = append(k.tools, one)
		}
	}
	return k
}

// add adds the calls to the tools, and adds called tools that are no longer offered.
func (r *UsageReport) add(calls map[string]*Traffic, servers []string) {
	at := map[string]int{}
	for i, t := range r.Tools {
		at[t.Tool] = i
	}
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		i, offered := at[id]
		if !offered {
			r.Tools = append(r.Tools, ToolUsage{Server: ownerOf(id, servers), Tool: id})
			i = len(r.Tools) - 1
		}
		r.Tools[i].Traffic = *calls[id]
	}
	slices.SortStableFunc(r.Tools, func(a, b ToolUsage) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
}

// sum computes the servers from their tools.
func (r *UsageReport) sum(k known) {
	all := map[string]*ServerUsage{}
	server := func(name string) *ServerUsage {
		if all[name] == nil {
			all[name] = &ServerUsage{Server: name}
		}
		return all[name]
	}
	for _, name := range k.names {
		server(name).Configured = true
	}
	for _, t := range r.Tools {
		s := server(t.Server)
		if t.Offered {
			s.Tools++
		}
		s.Definitions.Plain += t.Definitions.Plain
		s.Definitions.Compact += t.Definitions.Compact
		s.Definitions.Since = earlier(s.Definitions.Since, t.Definitions.Since)
		s.Calls += t.Calls
		s.Arguments += t.Arguments
		s.Results += t.Results
		s.Reached += t.Reached
		if t.LastUsed != nil && (s.LastUsed == nil || t.LastUsed.After(*s.LastUsed)) {
			s.LastUsed = t.LastUsed
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.Servers = append(r.Servers, *all[name])
	}
}

func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// narrow removes everything that is not about one server. "" keeps all.
func (r *UsageReport) narrow(server string) {
	if server == "" {
		return
	}
	r.Servers = slices.DeleteFunc(r.Servers, func(s ServerUsage) bool { return s.Server != server })
	r.Tools = slices.DeleteFunc(r.Tools, func(t ToolUsage) bool { return t.Server != server })
}

// work sums the costs of the sessions. single omits the definitions.
func (f *facts) work(k known, single bool) *WorkUsage {
	w := &WorkUsage{CutResults: f.cut, WithoutDefinitions: single}
	for _, s := range f.sessions {
		w.Plain.Written += s.plain.Written
		w.Plain.Read += s.plain.Read
		w.Toolscript.Written += s.own.Written
		w.Toolscript.Read += s.own.Read
		if single {
			continue
		}
		w.Toolscript.Definitions += s.own.Definitions
		n, recorded := f.definitions(s, k)
		if !recorded {
			w.Assumed++
		}
		w.Plain.Definitions += n
	}
	w.Plain.add()
	w.Toolscript.add()
	w.Saved = w.Plain.Total - w.Toolscript.Total
	return w
}

// definitions returns the tokens of the offers of the gateways of a session at its end. If the audit has no offers,
// recorded is false, and the tokens are those of the current configuration.
func (f *facts) definitions(s *session, k known) (n int, recorded bool) {
	last := map[string]offered{}
	for gateway := range s.gateways {
		for server, all := range f.offers[gateway] {
			for _, o := range all {
				if !o.at.After(s.last) && !o.at.Before(last[server].at) {
					last[server] = o
					recorded = true
				}
			}
		}
	}
	if !recorded {
		for _, tokens := range k.offered {
			n += tokens
		}
		return n, false
	}
	for server, o := range last {
		n += k.tokensOf(server, o.Offer)
	}
	return n, true
}

// tokensOf returns the tokens of an offer: in proportion to its size if the server now offers
// something else.
func (k known) tokensOf(server string, o audit.Offer) int {
	now := k.offers[server]
	if now.Bytes == 0 {
		return o.Bytes / bytesPerToken
	}
	return int(int64(k.offered[server]) * int64(o.Bytes) / int64(now.Bytes))
}
