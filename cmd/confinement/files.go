package confinement

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner/observed"
)

// group is a path of the profile, and the uses that it stands for.
type group struct {
	path    string
	write   bool
	count   int
	example string
}

// files adds the files that were used.
func (w *work) files(all []observed.File) {
	var needed []observed.File
	for _, f := range all {
		switch {
		case w.given(f) && w.sensitive(f.Path):
			w.problem(Problem{What: verb(f) + " " + w.shown(f.Path), Count: f.Count(), Why: "it may have secrets, and is in a folder that the server may use in any case", Sensitive: true})
		case w.given(f):
		case w.sensitive(f.Path):
			w.secret = append(w.secret, f.Path)
			w.problem(Problem{What: verb(f) + " " + w.shown(f.Path), Count: f.Count(), Why: "it may have secrets, and is never suggested; add it by hand if the server needs it", Sensitive: true})
		case strings.Contains(f.Path, "${"):
			w.problem(Problem{What: verb(f) + " " + f.Path, Count: f.Count(), Why: "a path with ${ cannot be written in the configuration"})
		default:
			needed = append(needed, f)
		}
	}
	for _, g := range w.collapse(needed) {
		w.add(g)
	}
}

// given reports whether a file can be used without an entry: every confined server may, or
// the profile from before allows it.
func (w *work) given(f observed.File) bool {
	reads, writes := Paths(w.out.Profile.Read), Paths(w.out.Profile.Write)
	for _, b := range w.bases {
		reads, writes = append(reads, b.Read...), append(writes, b.Write...)
	}
	return covers(writes, f.Path) || !f.Writes() && covers(reads, f.Path)
}

func verb(f observed.File) string {
	switch {
	case f.Writes():
		return "writes"
	case f.Counts[observed.List] > 0:
		return "lists"
	case f.Counts[observed.Run] > 0:
		return "runs"
	}
	return "reads"
}

// collapse finds few paths that stand for all files.
func (w *work) collapse(files []observed.File) []group {
	slices.SortStableFunc(files, func(a, b observed.File) int { // what is written may be read
		switch {
		case a.Writes() == b.Writes():
			return 0
		case a.Writes():
			return -1
		}
		return 1
	})
	var groups []group
	for _, f := range files {
		i := slices.IndexFunc(groups, func(g group) bool { return g.write && within(g.path, f.Path) })
		if i >= 0 && !f.Writes() {
			groups[i].count += f.Count()
			continue
		}
		path := w.scope(f)
		if path == "" {
			w.problem(Problem{
				What: verb(f) + " " + w.shown(f.Path), Count: f.Count(),
				Why: "it needs an entry for the whole folder, which allows far more; many programs work without it",
			})
			continue
		}
		groups = append(groups, group{path, f.Writes(), f.Count(), f.Path})
	}
	groups = merged(groups)
	for {
		folders := w.crowded(groups)
		if len(folders) == 0 {
			return groups
		}
		groups = merged(append(groups, folders...))
	}
}

// scope is the path that stands for a file; "" if none may.
func (w *work) scope(f observed.File) string {
	own := f.Path
	if f.Counts[observed.Change] > 0 { // the kernel wants the folder to be writable
		own = filepath.Dir(f.Path)
	}
	candidates := append(w.arguments(f.Path), w.program(f.Path))
	if !f.Writes() {
		candidates = append(candidates, w.dir(), w.repository(f.Path))
	}
	for _, folder := range candidates {
		if folder != "" && within(folder, own) && !w.tooMuch(folder) {
			return folder
		}
	}
	_, folder := w.Exists(own)
	if w.above(own) || (folder || f.Folder || own != f.Path) && w.tooMuch(own) {
		return ""
	}
	return own
}

// arguments are the folders of the arguments that contain a path, the innermost first.
func (w *work) arguments(path string) (folders []string) {
	for _, arg := range w.Args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if !filepath.IsAbs(arg) && w.dir() != "" {
			arg = filepath.Join(w.dir(), arg)
		}
		if resolved, err := filepath.EvalSymlinks(arg); err == nil {
			arg = resolved
		}
		if _, folder := w.Exists(arg); folder && within(arg, path) {
			folders = append(folders, filepath.Clean(arg))
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	return folders
}

// program is the folder of one program in a folder of many, such as ~/.cache/name.
func (w *work) program(path string) string {
	if w.Home == "" {
		return ""
	}
	for _, many := range []string{".cache", ".config", ".local/share", ".local/state", "Library/Caches", "Library/Application Support"} {
		rel, err := filepath.Rel(filepath.Join(w.Home, many), path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if name, _, below := strings.Cut(filepath.ToSlash(rel), "/"); below {
			return filepath.Join(w.Home, many, name)
		}
	}
	return ""
}

// repository is the root of the git repository that has a path; "" if there is none below
// the home folder.
func (w *work) repository(path string) string {
	for at := filepath.Dir(path); at != filepath.Dir(at) && at != w.Home; at = filepath.Dir(at) {
		if is, _ := w.Exists(filepath.Join(at, ".git")); is {
			return at
		}
	}
	return ""
}

// merged are the groups that no other one contains, with the counts of those. They are sorted
// by path.
func merged(groups []group) (out []group) {
	slices.SortStableFunc(groups, func(a, b group) int { // a folder is before what it contains, and write before read
		if a.path == b.path && a.write != b.write {
			if a.write {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.path, b.path)
	})
	for _, g := range groups {
		i := slices.IndexFunc(out, func(o group) bool { return within(o.path, g.path) && (o.write || !g.write) })
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].count += g.count
		out[i].example = cmp.Or(out[i].example, g.example)
	}
	return out
}

// many is how many entries of one folder become an entry for the folder.
const many = 3

// crowded are the folders of which many groups stand for parts.
func (w *work) crowded(groups []group) (folders []group) {
	type part struct {
		folder string
		write  bool
	}
	parts := map[part]int{}
	for _, g := range groups {
		p := part{filepath.Dir(g.path), g.write}
		if parts[p]++; parts[p] == many && !w.tooMuch(p.folder) {
			folders = append(folders, group{path: p.folder, write: p.write})
		}
	}
	return folders
}

// add adds a path to the profile. A profile with a name becomes lists.
func (w *work) add(g group) {
	w.out.Profile.Name = ""
	entry, kind, list := Entry{g.path, w.text(g.path)}, "read", &w.out.Profile.Read
	if g.write {
		kind, list = "write", &w.out.Profile.Write
	}
	*list = append(*list, entry)
	example := ""
	if g.example != g.path {
		example = w.shown(g.example)
	}
	w.out.Reasons = append(w.out.Reasons, Reason{kind, entry.Text, g.count, example})
}

// text is a path as the configuration has it: relative to its file, or to the home folder.
func (w *work) text(path string) string {
	if w.Config != w.Home && within(w.Config, path) {
		rel, _ := filepath.Rel(w.Config, path) // within has found it
		if strings.HasPrefix(rel, "~") {
			rel = "./" + rel
		}
		return filepath.ToSlash(rel)
	}
	return w.shown(path)
}

// shown is a path as people write it.
func (w *work) shown(path string) string {
	if rel, err := filepath.Rel(w.Home, path); w.Home != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

func (w *work) problem(p Problem) { w.out.Problems = append(w.out.Problems, p) }

func exists(path string) (is, folder bool) {
	info, err := os.Stat(path)
	return err == nil, err == nil && info.IsDir()
}
