package confine

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner/observed"
)

// group is a path of the profile, with the uses of files that it covers.
type group struct {
	path    string
	write   bool
	count   int
	example string
}

// key identifies a group.
type key struct {
	path  string
	write bool
}

// groups is a set of groups.
type groups struct{ all map[key]*group }

// add adds a group, or adds its uses to the existing group of the same key.
func (s *groups) add(g group) {
	if s.all == nil {
		s.all = map[key]*group{}
	}
	if old := s.all[key{g.path, g.write}]; old != nil {
		old.absorb(g)
		return
	}
	s.all[key{g.path, g.write}] = &g
}

// absorb adds the uses of another group.
func (g *group) absorb(other group) {
	g.count += other.count
	g.example = cmp.Or(g.example, other.example)
}

// holder returns the innermost group that contains a path and allows the use: writing, or
// for write = false also reading. It returns nil if there is none.
func (s *groups) holder(path string, write bool) *group {
	for up := range upward(path) {
		if g := s.all[key{up, true}]; g != nil {
			return g
		}
		if g := s.all[key{up, false}]; g != nil && !write {
			return g
		}
	}
	return nil
}

// count adds the uses of a file to the writable group that contains it, and reports whether there is one.
func (s *groups) count(f observed.File) bool {
	g := s.holder(f.Path, true)
	if g != nil {
		g.count += f.Count()
	}
	return g != nil
}

// merged returns the groups that no other group contains, with the uses of those that they
// contain. They are sorted by path.
func (s *groups) merged() (out []group) {
	kept := groups{}
	for _, k := range s.sorted() {
		g := *s.all[k]
		if holder := kept.holder(g.path, g.write); holder != nil {
			holder.absorb(g)
			continue
		}
		kept.add(g)
	}
	for _, k := range kept.sorted() {
		out = append(out, *kept.all[k])
	}
	return out
}

// sorted returns the keys by path: a folder before its content, and write before read.
func (s *groups) sorted() []key {
	return slices.SortedFunc(maps.Keys(s.all), func(a, b key) int {
		if a.path == b.path && a.write != b.write {
			if a.write {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.path, b.path)
	})
}

// many is the number of entries in one folder that are replaced by an entry for the folder.
const many = 3

// crowded adds the folders in which many groups are, from the innermost ones up: a folder
// that is added counts as an entry in the folder above it.
func (s *groups) crowded(tooMuch func(folder string, write bool) bool) *groups {
	levels := map[int][]key{}
	put := func(k key) {
		depth := strings.Count(k.path, "/")
		levels[depth] = append(levels[depth], k)
	}
	out := &groups{}
	for _, g := range s.merged() {
		out.add(g)
		put(key{g.path, g.write})
	}
	if len(levels) == 0 {
		return out
	}
	for depth := slices.Max(slices.Collect(maps.Keys(levels))); depth > 0; depth-- {
		parts := map[key]int{}
		for _, k := range levels[depth] {
			if !k.write && out.all[key{k.path, true}] != nil {
				continue // it is merged into that group
			}
			folder := key{filepath.Dir(k.path), k.write}
			if parts[folder]++; parts[folder] == many && !tooMuch(folder.path, k.write) && out.all[folder] == nil {
				out.add(group{path: folder.path, write: k.write})
				put(folder)
			}
		}
	}
	return out
}
