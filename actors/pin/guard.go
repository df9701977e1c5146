package pin

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
)

// Guard compares the tools of servers with their pins, and pins servers and tools that are new.
type Guard struct {
	Store  Store                       // nil: nothing is pinned
	Policy func() toolscript.PinPolicy // nil: warn
	Log    *slog.Logger
	// Configured reports whether a server of this name is configured now.
	Configured func(server string) bool

	mu   sync.Mutex
	last map[string]listed // the last arguments of Check, by server
}

// ComparedServer is a server whose tools are compared.
type ComparedServer struct {
	Name     string
	Source   string // the configuration file
	Identity string // definition of the server, see upstream.Config.Identity
	Written  string // definition as it is written in the user's own file; "" for other files
	Program  string // definition for a person, without secrets
	Fixed    bool   // the tools change only with this program and are not compared
}

// listed is the last list of a server.
type listed struct {
	server ComparedServer
	texts  map[string]Text
}

// Verdict is the result of a comparison.
type Verdict struct {
	Pinned  int // tools and skills that are pinned
	Changes []toolscript.PinChange
	All     bool            // no tool of the server may be used
	Held    map[string]bool // these tools may not be used

	Suspicions []toolscript.Suspicion // findings in the texts of the tools
}

// Holds reports whether a tool may not be used.
func (v Verdict) Holds(tool string) bool { return v.All || v.Held[tool] }

func (g *Guard) policy() toolscript.PinPolicy {
	if g.Policy == nil {
		return toolscript.PinsWarn
	}
	return g.Policy()
}

// Check compares the tools that a server has listed. The first list of a server is
// pinned. Check reads a file and may write it.
func (g *Guard) Check(server ComparedServer, tools []toolscript.Tool) Verdict {
	policy := g.policy()
	now := listed{server, make(map[string]Text, len(tools))}
	if server.Fixed {
		tools = nil
	}
	for _, t := range tools {
		now.texts[t.Name] = textOf(t)
	}
	if g.Store == nil || policy == toolscript.PinsOff {
		return Verdict{Suspicions: now.suspicions(nil)}
	}
	g.mu.Lock()
	if g.last == nil {
		g.last = map[string]listed{}
	}
	g.last[server.Name] = now
	g.mu.Unlock()
	record, err := g.record(now)
	if err != nil {
		g.Log.Error("pins not read", slog.String("server", server.Name), slog.String("error", err.Error()))
		v := unreadable(server.Name, policy, err)
		v.Suspicions = now.suspicions(nil)
		return v
	}
	record = g.edited(now, record)
	v := now.compare(record, policy)
	v.Suspicions = now.suspicions(g.scanned(now, record))
	return v
}

// edited accepts a definition that the user has changed in the user's own file, and returns the new record. Changes
// of tools, and changes by a variable, a project or an agent's command, are not accepted.
func (g *Guard) edited(now listed, record *Record) *Record {
	next, changed := now.edit(record)
	if next == nil {
		return record
	}
	err := g.Store.Update(now.server.Name, now.server.Source, func(current *Record) *Record {
		record = current
		if next, changed = now.edit(current); next != nil {
			record = next
		}
		return next
	})
	switch {
	case err != nil:
		g.Log.Warn("changed definition not pinned", slog.String("server", now.server.Name), slog.String("error", err.Error()))
	case changed:
		g.Log.Info("definition changed in the user's file, and pinned", slog.String("server", now.server.Name))
	}
	return record
}

// edit returns the record with the definition of the list, and whether that definition differs from the pinned one;
// nil if the record stays as it is.
func (l listed) edit(r *Record) (next *Record, changed bool) {
	if r == nil || l.server.Written == "" || r.Written == l.server.Written || r.Written == Foreign {
		return nil, false
	}
	identity := hashOf(l.server.Identity)
	changed = r.Identity != identity
	if changed && r.Written == "" { // the earlier definition in the file is not known
		return nil, false
	}
	with, texts := *r, r.texts()
	texts.Program = l.server.Program
	with.Identity, with.Written, with.Texts = identity, l.server.Written, func() Texts { return texts }
	return &with, changed
}

// scanned returns a record with the suspicions that this version of the patterns finds.
func (g *Guard) scanned(now listed, record *Record) *Record {
	if record == nil || record.Scanned == PatternsVersion {
		return record
	}
	err := g.Store.Update(now.server.Name, now.server.Source, func(current *Record) *Record {
		if current == nil {
			return nil
		}
		next := *current
		next.Scanned, next.Suspicions = PatternsVersion, nil
		for name, text := range now.texts {
			if current.Tools[name] == text.hash() {
				next.Suspicions = append(next.Suspicions, text.suspicions(name)...)
			}
		}
		for name, hash := range current.Tools { // tools that the server does not list now
			if text, ok := now.texts[name]; !ok || text.hash() != hash {
				next.Suspicions = append(next.Suspicions, current.texts().Tools[name].suspicions(name)...)
			}
		}
		record = &next
		return record
	})
	if err != nil {
		g.Log.Warn("suspicious texts not kept", slog.String("server", now.server.Name), slog.String("error", err.Error()))
	}
	return record
}

// suspicions returns the suspicions about the texts of a list, sorted by tool. For pinned texts
// it uses those of the record.
func (l listed) suspicions(r *Record) (all []toolscript.Suspicion) {
	known := map[string][]toolscript.Suspicion{}
	if r != nil && r.Scanned == PatternsVersion {
		for _, s := range r.Suspicions {
			known[s.Tool] = append(known[s.Tool], s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.texts)) {
		text := l.texts[name]
		if r != nil && r.Scanned == PatternsVersion && r.Tools[name] == text.hash() {
			all = append(all, known[name]...)
		} else {
			all = append(all, text.suspicions(name)...)
		}
	}
	return all
}

// suspicions examines the texts of one tool.
func (t Text) suspicions(name string) []toolscript.Suspicion {
	tool := toolscript.Tool{Name: name, Title: t.Title, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output}
	if t.Skill != nil {
		_ = json.Unmarshal(t.Skill, &tool.Skill) // textOf has encoded it
	}
	return Suspicions(tool)
}

// record returns the record of a server. A server without a record gets one: the record of the
// same program under a name that is not configured any more, else a new record of these tools.
func (g *Guard) record(now listed) (*Record, error) {
	record, err := g.Store.Load(now.server.Name, now.server.Source)
	if record != nil || err != nil || len(now.texts) == 0 && !now.server.Fixed {
		return record, err
	}
	renamed := g.renamed(now.server)
	err = g.Store.Update(now.server.Name, now.server.Source, func(current *Record) *Record {
		if record = current; record != nil { // another process was first
			return nil
		}
		if record = renamed; record == nil {
			record = now.record()
		}
		return record
	})
	return record, err
}

// renamed returns the record of a server that had another name; nil if there is none.
func (g *Guard) renamed(server ComparedServer) *Record {
	records, err := g.Store.Same(server.Source, hashOf(server.Identity))
	if err != nil {
		g.Log.Warn("pins of a renamed server not found", slog.String("server", server.Name), slog.String("error", err.Error()))
		return nil
	}
	var moved *Record
	for _, r := range records {
		switch {
		case g.Configured == nil || g.Configured(r.Server): // another server of the same program
			return nil
		case r.Server != server.Name:
			next := *r
			next.Server = server.Name
			moved = &next
		}
	}
	return moved
}

// record returns a new record that pins the whole list.
func (l listed) record() *Record {
	r := &Record{Server: l.server.Name, Source: l.server.Source, Identity: hashOf(l.server.Identity), Written: l.server.Written, Tools: map[string]string{}}
	for name, text := range l.texts {
		r.Tools[name] = text.hash()
	}
	r.Scanned, r.Suspicions = PatternsVersion, l.suspicions(nil)
	texts := Texts{l.server.Program, l.texts}
	r.Texts = func() Texts { return texts }
	return r
}

func unreadable(server string, policy toolscript.PinPolicy, err error) Verdict {
	held := policy == toolscript.PinsQuarantine
	return Verdict{All: held, Changes: []toolscript.PinChange{{
		Kind: toolscript.PinUnreadable, Diff: err.Error() + "\n", Held: held, Accept: command(server, ""),
	}}}
}

// compare returns the differences between a list and a record; no differences if r is nil.
func (l listed) compare(r *Record, policy toolscript.PinPolicy) Verdict {
	if r == nil {
		return Verdict{}
	}
	held := policy == toolscript.PinsQuarantine
	v := Verdict{Pinned: len(r.Tools), Held: map[string]bool{}}
	texts := sync.OnceValue(r.texts)
	if r.Identity != hashOf(l.server.Identity) {
		v.All = held
		lines := cut(Lines(texts().Program, l.server.Program), maxDiff)
		if lines == "" {
			lines = "  (only values that are not shown differ, such as those of env and headers)\n"
		}
		v.Changes = append(v.Changes, toolscript.PinChange{
			Kind: toolscript.PinChanged, Parts: []string{"definition"}, Diff: lines, Held: held, Accept: command(l.server.Name, ""),
		})
	}
	room := maxAll
	for _, name := range slices.Sorted(maps.Keys(l.texts)) {
		now := l.texts[name]
		change := toolscript.PinChange{Tool: name, Kind: toolscript.PinChanged, Held: held, Accept: command(l.server.Name, name)}
		switch pinned, known := r.Tools[name]; {
		case known && pinned == now.hash():
			continue
		case known:
			change.Parts, change.Diff = difference(texts().Tools[name], now)
		default:
			change.Kind = toolscript.PinNew
			_, change.Diff = difference(Text{}, now)
		}
		change.Diff = cut(change.Diff, min(maxDiff, room))
		room = max(0, room-len(change.Diff))
		v.Held[name] = held
		v.Changes = append(v.Changes, change)
	}
	return v
}

// Snapshot is a state of a server or tool that a person accepts.
type Snapshot struct {
	listed listed
	tool   string // "": the server with all tools
}

// Snapshot returns the last list of a server: one tool, or everything if tool is "".
func (g *Guard) Snapshot(server, tool string) (Snapshot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, ok := g.last[server]
	if !ok {
		return Snapshot{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("server %s has not listed its tools since the gateway started", server), Next: "see: toolscript status"}
	}
	if _, ok := now.texts[tool]; tool != "" && !ok {
		return Snapshot{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("server %s has no tool %q", server, tool), Next: "see: toolscript pins list"}
	}
	return Snapshot{now, tool}, nil
}

// Accept pins a snapshot.
func (g *Guard) Accept(s Snapshot) error {
	server := s.listed.server
	if g.Store == nil {
		return errors.New("there is no data folder for pins; name a folder of yours with --data-dir")
	}
	return g.Store.Update(server.Name, server.Source, func(r *Record) *Record {
		now := s.listed.record()
		if s.tool == "" {
			return now
		}
		merged := Record{Server: server.Name, Source: server.Source, Identity: now.Identity, Tools: map[string]string{}}
		texts := Texts{Program: server.Program, Tools: map[string]Text{}}
		if r != nil {
			merged.Identity, merged.Written, texts.Program = r.Identity, r.Written, r.texts().Program // Scanned is 0: the next Check scans
			maps.Copy(merged.Tools, r.Tools)
			maps.Copy(texts.Tools, r.texts().Tools)
		}
		merged.Tools[s.tool], texts.Tools[s.tool] = now.Tools[s.tool], s.listed.texts[s.tool]
		merged.Texts = func() Texts { return texts }
		return &merged
	})
}

// command returns the command with which a person accepts a difference.
func command(server, tool string) string {
	if tool != "" {
		server += toolscript.Separator + tool
	}
	return toolscript.Command("pins", "accept", server)
}
