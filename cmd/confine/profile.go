// Package confine computes the "confine" of a server from observations of the server at work: the smallest profile
// that a person can read, with the reason for each entry, and a list of what the server did that no profile allows.
package confine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/observed"
)

// Scene describes where a server works.
type Scene struct {
	Home   string   // home folder of the user
	Data   string   // data folder of toolscript
	Config string   // folder of the configuration file that defines the server
	Args   []string // arguments of the server; folders that they name may be used as a whole

	// Functions of the file system. Nil means those of this machine.
	Exists  func(path string) (exists, folder bool)
	Resolve func(path string) string // returns a path without links; see Resolve
}

// The named profiles.
const (
	Readonly = "readonly"
	Project  = "project"
)

// A Profile is a value of "confine". It has either a name or lists.
type Profile struct {
	Name  string
	Read  []Entry
	Write []Entry
	Net   []string
}

// An Entry is a path of a profile.
type Entry struct {
	Path string // absolute
	Text string // path as written in the configuration
}

// MarshalJSON writes the profile in the form of the configuration file.
func (p Profile) MarshalJSON() ([]byte, error) {
	if p.Name != "" {
		return toolscript.PlainJSON(p.Name)
	}
	lists := struct {
		Read  []string `json:"read,omitempty"`
		Write []string `json:"write,omitempty"`
		Net   any      `json:"net"`
	}{texts(p.Read), texts(p.Write), false}
	if len(p.Net) > 0 {
		lists.Net = p.Net
	}
	return toolscript.PlainJSON(lists)
}

func texts(entries []Entry) (texts []string) {
	for _, e := range entries {
		texts = append(texts, e.Text)
	}
	return texts
}

// Paths returns the paths of entries.
func Paths(entries []Entry) (paths []string) {
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	return paths
}

// A Reason says why an entry is in a profile.
type Reason struct {
	Kind    string `json:"kind"`              // read, write or net
	Entry   string `json:"entry"`             // entry as written in the profile
	Count   int    `json:"count"`             // number of uses; 0: the entry was there before
	Example string `json:"example,omitempty"` // path that was used
}

// A Problem is something that the server did but the profile does not allow.
type Problem struct {
	What      string `json:"what"`
	Count     int    `json:"count"`
	Why       string `json:"why"`                 // why it is not allowed
	Sensitive bool   `json:"sensitive,omitempty"` // it concerns secrets of the user
	Minor     bool   `json:"minor,omitempty"`     // most programs work without it
}

// Suggestion is the result of Suggest.
type Suggestion struct {
	Profile  Profile
	Reasons  []Reason
	Problems []Problem
}

// Suggest computes the profile of a server. before is its present profile, which is kept
// and extended; the zero value means that it has none.
func Suggest(r *observed.Record, s Scene, before Profile) Suggestion {
	w := newWork(s, r.Bases())
	w.keep(before)
	w.files(r.Files())
	w.acts(r.Acts())
	w.envFiles()
	w.obeyedFiles()
	slices.SortStableFunc(w.out.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(b.Count, a.Count))
	})
	sortProblems(w.out.Problems)
	if w.out.Profile.Name == "" {
		w.out.Profile.Name = w.name()
	}
	return w.out
}

// sortProblems sorts problems by importance: first those about secrets, last the minor ones, then by count.
func sortProblems(problems []Problem) {
	rank := func(p Problem) int {
		switch {
		case p.Sensitive:
			return 0
		case p.Minor:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
}

// work is the state of one computation. Observed paths contain no links, so every path to
// which they are compared is resolved once, at the start.
type work struct {
	Scene
	dir      string // working directory of the server
	modes    bool   // the server may change modes, whatever its profile
	base     access // access that every confined server has
	own      paths  // files that were made for this server
	kept     access // access that the earlier profile allows
	written  paths  // paths that the profile lets the server write
	named    paths  // folders named by arguments
	secrets  paths  // places of secrets, and secrets that were used
	obeyed   paths  // places that other programs obey
	system   paths  // folders that are too large for one server
	kernel   paths
	programs []string          // folders that have a subfolder for each program
	roots    map[string]string // git repositories by folder
	hosts    map[string]bool   // hosts of the profile from before
	out      Suggestion
}

func newWork(s Scene, bases []observed.Base) *work {
	if s.Exists == nil {
		s.Exists = exists
	}
	if s.Resolve == nil {
		s.Resolve = Resolve
	}
	for _, path := range []*string{&s.Home, &s.Data, &s.Config} {
		if *path != "" {
			*path = s.Resolve(*path)
		}
	}
	w := &work{Scene: s, roots: map[string]string{}, hosts: map[string]bool{}, out: Suggestion{Reasons: []Reason{}, Problems: []Problem{}}}
	for _, b := range bases {
		if w.dir == "" && b.Dir != "" {
			w.dir = w.Resolve(b.Dir)
		}
		w.base.read.add(w.both("", b.Read...)...)
		w.base.write.add(w.both("", b.Write...)...)
		w.own.add(w.both("", b.Own...)...)
		w.modes = w.modes || b.Modes
	}
	w.named.add(w.argumentFolders()...)
	w.mark()
	return w
}

// keep starts with the profile from before.
func (w *work) keep(before Profile) {
	w.out.Profile = before
	w.kept.read.add(w.both("", Paths(before.Read)...)...)
	w.kept.write.add(w.both("", Paths(before.Write)...)...)
	w.written.add(w.both("", Paths(before.Write)...)...)
	for kind, entries := range map[string][]Entry{"read": before.Read, "write": before.Write} {
		for _, e := range entries {
			w.out.Reasons = append(w.out.Reasons, Reason{Kind: kind, Entry: e.Text})
		}
	}
	for _, target := range before.Net {
		w.hosts[strings.ToLower(target)] = true // the proxy ignores case, too
		w.out.Reasons = append(w.out.Reasons, Reason{Kind: "net", Entry: target})
	}
}

// kinds are the kinds of entries, the most permissive first.
var kinds = []string{"write", "net", "read"}

// name returns the name of the profile that is equivalent to the lists, or "".
func (w *work) name() string {
	p := w.out.Profile
	is := func(entries []Entry) bool { return len(entries) == 1 && w.Resolve(entries[0].Path) == w.dir }
	switch {
	case len(p.Net) > 0:
		return ""
	case is(p.Read) && len(p.Write) == 0:
		return Readonly
	case is(p.Write) && len(p.Read) == 0:
		return Project
	}
	return ""
}
