// Package confinement computes the "confine" of a server from what was observed while it
// worked: the smallest profile that a person can read, with the reason for each entry, and
// what the server did that no profile allows.
package confinement

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner/observed"
)

// Scene is where a server works.
type Scene struct {
	Home   string   // of the user, without links
	Data   string   // the data folder of toolscript
	Config string   // the folder of the configuration file that defines the server
	Args   []string // of the server: folders that they name may be used as a whole

	Exists func(path string) (exists, folder bool) // of the file system
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
		return json.Marshal(p.Name)
	}
	lists := struct {
		Read  []string `json:"read,omitempty"`
		Write []string `json:"write,omitempty"`
		Net   any      `json:"net"`
	}{texts(p.Read), texts(p.Write), false}
	if len(p.Net) > 0 {
		lists.Net = p.Net
	}
	return json.Marshal(lists)
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
	if s.Exists == nil {
		s.Exists = exists
	}
	w := &work{Scene: s, bases: r.Bases(), places: s.places(), out: Suggestion{Reasons: []Reason{}, Problems: []Problem{}}}
	w.keep(before)
	w.files(r.Files())
	w.acts(r.Acts())
	w.envFiles()
	slices.SortStableFunc(w.out.Reasons, func(a, b Reason) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	slices.SortStableFunc(w.out.Problems, func(a, b Problem) int {
		if a.Sensitive != b.Sensitive {
			if a.Sensitive {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.What, b.What)
	})
	if w.out.Profile.Name == "" {
		w.out.Profile.Name = w.named()
	}
	return w.out
}

// work is one computation.
type work struct {
	Scene
	bases  []observed.Base
	places []string // of secrets
	secret []string // sensitive paths that were used
	out    Suggestion
}

// dir is the working directory of the server.
func (w *work) dir() string {
	if len(w.bases) == 0 {
		return ""
	}
	return w.bases[0].Dir
}

// keep begins with the profile from before.
func (w *work) keep(before Profile) {
	w.out.Profile = before
	for kind, entries := range map[string][]Entry{"read": before.Read, "write": before.Write} {
		for _, e := range entries {
			w.out.Reasons = append(w.out.Reasons, Reason{Kind: kind, Entry: e.Text})
		}
	}
	for _, target := range before.Net {
		w.out.Reasons = append(w.out.Reasons, Reason{Kind: "net", Entry: target})
	}
}

var kinds = []string{"read", "write", "net"}

// named is the name of the profile that says the same as the lists; "" if there is none.
func (w *work) named() string {
	p := w.out.Profile
	is := func(entries []Entry) bool { return len(entries) == 1 && entries[0].Path == w.dir() }
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

// covers reports whether one of some files and folders contains a path.
func covers(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return within(p, path) })
}

// within reports whether a path is a folder or in it. Both are absolute and clean.
func within(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
