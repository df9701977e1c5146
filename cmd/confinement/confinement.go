// Package confinement computes the "confine" of a server from what was observed while it
// worked: the smallest profile that a person can read, with the reason for each entry, and
// what the server did that no profile allows.
package confinement

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/observed"
)

// Scene is where a server works.
type Scene struct {
	Home   string   // of the user
	Data   string   // the data folder of toolscript
	Config string   // the folder of the configuration file that defines the server
	Args   []string // of the server: folders that they name may be used as a whole

	// Of the file system; nil: that of this machine.
	Exists  func(path string) (exists, folder bool)
	Resolve func(path string) string // without links; see Resolve
}

// The named profiles.
const (
	Readonly = "readonly"
	Project  = "project"
)

// A Profile is a "confine". It has either a name or lists.
type Profile struct {
	Name  string
	Read  []Entry
	Write []Entry
	Net   []string
}

// An Entry is a path of a profile.
type Entry struct {
	Path string // absolute
	Text string // as it is written
}

// MarshalJSON writes the profile as the configuration file has it.
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

// Paths are the paths of entries.
func Paths(entries []Entry) (paths []string) {
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	return paths
}

// A Reason says why an entry is in a profile.
type Reason struct {
	Kind    string `json:"kind"`              // read, write or net
	Entry   string `json:"entry"`             // as the profile has it
	Count   int    `json:"count"`             // how often it was needed; 0: the configuration had it before
	Example string `json:"example,omitempty"` // a path that was used
}

// A Problem is something that the server did and the profile does not allow.
type Problem struct {
	What      string `json:"what"`
	Count     int    `json:"count"`
	Why       string `json:"why"`                 // it is not allowed
	Sensitive bool   `json:"sensitive,omitempty"` // it concerns secrets of the user
	Minor     bool   `json:"minor,omitempty"`     // most programs work without it
}

// Suggestion is the result.
type Suggestion struct {
	Profile  Profile
	Reasons  []Reason
	Problems []Problem
}

// Suggest computes the profile of a server. before is the profile that it has already, which
// is kept and extended; the zero value is none.
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

// sortProblems puts those first that matter most: what concerns secrets, what fails, and what was done often.
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

// work is one computation. What was observed has no links in its paths, so that every path that
// it is compared with is resolved once, at the start.
type work struct {
	Scene
	dir      string // the working directory of the server
	modes    bool   // it may change modes, whatever its profile
	base     access // what every confined server has
	own      paths  // what was made for this server
	kept     access // what the profile from before allows
	written  paths  // what the profile lets the server write
	named    paths  // folders of arguments
	secrets  paths  // places of secrets, and secrets that were used
	obeyed   paths  // places that other programs obey
	system   paths  // folders that are too much
	kernel   paths
	programs []string          // folders that have one folder for each program
	roots    map[string]string // the git repositories of folders
	hosts    map[string]bool   // of the profile from before
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

// keep begins with the profile from before.
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
		w.hosts[strings.ToLower(target)] = true // as the proxy does
		w.out.Reasons = append(w.out.Reasons, Reason{Kind: "net", Entry: target})
	}
}

// kinds are those of entries, the ones that allow most first.
var kinds = []string{"write", "net", "read"}

// name is the name of the profile that says the same as the lists; "" if there is none.
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
