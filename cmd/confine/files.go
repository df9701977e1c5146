package confine

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/runner/observed"
)

// files adds the files that were used, or reports them as problems.
func (w *work) files(all []observed.File) {
	var needed, obeyed []observed.File
	secrets := map[Problem]*found{} // by problem, without the names of the files
	for _, f := range all {
		p := Problem{Sensitive: true}
		switch given := w.given(f); {
		case w.own.cover(f.Path):
			continue
		case given && w.sensitive(f.Path):
			p.Why = "it may have secrets, and is in a folder that the server may use in any case"
		case f.Writes() && w.obeys(f.Path) && (!given || w.kept.write.cover(f.Path)):
			obeyed = append(obeyed, f)
			continue
		case given:
			continue
		case f.Path == tty:
			w.problem(usesTerminal(f))
			continue
		case w.sensitive(f.Path):
			w.secrets.add(f.Path)
			p.Why = "it may have secrets, and is never suggested; add it by hand if the server needs it"
		case strings.Contains(f.Path, "${"):
			w.problem(Problem{What: verb(f) + " " + w.shown(f.Path), Count: f.Count(), Why: "a path with ${ cannot be written in the configuration"})
			continue
		default:
			needed = append(needed, f)
			continue
		}
		p.What = verb(f) + " " + w.location(f.Path)
		if secrets[p] == nil {
			secrets[p] = &found{first: f.Path}
		}
		secrets[p].add(f)
	}
	for p, found := range secrets {
		w.problem(found.problem(p, w.shown))
	}
	for _, g := range w.collapse(needed) {
		w.add(g)
	}
	w.written.add(Paths(w.out.Profile.Write)...)
	for _, f := range obeyed {
		why := obeyedWhy + "; it is never suggested for writing"
		if w.written.cover(f.Path) {
			why = obeyedWhy + ", and it is in a folder that the server may write"
		}
		w.problem(Problem{What: "writes " + w.shown(f.Path), Count: f.Count(), Why: why, Sensitive: true})
	}
}

// found counts the files of one problem.
type found struct {
	first        string
	files, count int
}

func (o *found) add(f observed.File) { o.files, o.count = o.files+1, o.count+f.Count() }

// problem returns p with the number of files and an example. p.What must be a verb and a location.
func (o *found) problem(p Problem, shown func(string) string) Problem {
	verb, location, _ := strings.Cut(p.What, " ")
	p.Count, p.What = o.count, verb+" "+shown(o.first)
	if o.files > 1 {
		p.What = fmt.Sprintf("%s %d files of %s, such as %s", verb, o.files, shown(location), shown(o.first))
	}
	return p
}

// tty is the controlling terminal of a process. A gateway that a person has started passes it to servers.
const tty = "/dev/tty"

// usesTerminal is the problem of a server that opens the terminal. uv opens it at each start.
func usesTerminal(f observed.File) Problem {
	return Problem{
		What: "opens the terminal", Count: f.Count(), Minor: true,
		Why: "a server that writes there could ask you for a password, so it is never suggested; most programs work without it",
	}
}

// location returns the outermost place of secrets that contains a path, or the path itself.
func (w *work) location(path string) string {
	place := path
	for up := range upward(path) {
		if w.secrets.in[up] {
			place = up
		}
	}
	return place
}

// given reports whether a file can be used without a new entry: every confined server may
// use it, or the profile from before allows it.
func (w *work) given(f observed.File) bool {
	return w.base.allow(f) || w.kept.allow(f)
}

// access is the set of paths that a server may read and write.
type access struct{ read, write paths }

func (a *access) allow(f observed.File) bool {
	return a.write.cover(f.Path) || !f.Writes() && a.read.cover(f.Path)
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

// collapse finds a few paths that cover all files.
func (w *work) collapse(files []observed.File) []group {
	var groups groups
	for _, writes := range []bool{true, false} { // writable paths are also readable
		for _, f := range files {
			if f.Writes() != writes || !writes && groups.count(f) {
				continue
			}
			if path := w.scope(f); path != "" {
				groups.add(group{path, writes, f.Count(), f.Path})
				continue
			}
			w.problem(Problem{
				What: verb(f) + " " + w.shown(f.Path), Count: f.Count(),
				Why:   "it needs an entry for the whole folder, which allows far more; many programs work without it",
				Minor: !f.Writes(),
			})
		}
	}
	return groups.crowded(w.tooMuch).merged()
}

// scope returns the path to allow for a file, or "" if no path is suitable.
func (w *work) scope(f observed.File) string {
	own, writes := f.Path, f.Writes()
	if f.Counts[observed.Change] > 0 { // the kernel requires a writable folder
		own = filepath.Dir(f.Path)
	}
	candidates := append(w.arguments(f.Path), w.program(f.Path))
	if !writes {
		candidates = append(candidates, w.dir, w.repository(filepath.Dir(f.Path)))
	}
	for _, folder := range candidates {
		if folder != "" && within(folder, own) && !w.tooMuch(folder, writes) {
			return folder
		}
	}
	_, folder := w.Exists(own)
	if w.above(own, writes) || (folder || f.Folder || own != f.Path) && w.tooMuch(own, writes) {
		return ""
	}
	return own
}

// arguments returns the folders named by arguments that contain a path, the innermost first.
func (w *work) arguments(path string) (folders []string) {
	for up := range upward(path) {
		if w.named.in[up] {
			folders = append(folders, up)
		}
	}
	return folders
}

// argumentFolders returns the folders that arguments name, without links.
func (w *work) argumentFolders() (folders []string) {
	for _, arg := range w.Args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if !filepath.IsAbs(arg) && w.dir != "" {
			arg = filepath.Join(w.dir, arg)
		}
		arg = w.Resolve(arg)
		if _, folder := w.Exists(arg); folder {
			folders = append(folders, filepath.Clean(arg))
		}
	}
	return folders
}

// program returns the folder of one program that contains a path, such as ~/.cache/name, or "".
func (w *work) program(path string) string {
	for _, many := range w.programs {
		rel, err := filepath.Rel(many, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if name, _, below := strings.Cut(filepath.ToSlash(rel), "/"); below {
			return filepath.Join(many, name)
		}
	}
	return ""
}

// repository returns the root of the git repository that contains a folder, or "". It does
// not look in the home folder or above.
func (w *work) repository(folder string) string {
	root, known := w.roots[folder]
	if known {
		return root
	}
	if up := filepath.Dir(folder); up != folder && folder != w.Home {
		if is, _ := w.Exists(filepath.Join(folder, ".git")); is {
			root = folder
		} else {
			root = w.repository(up)
		}
	}
	w.roots[folder] = root
	return root
}

// add adds a path to the profile, which has lists instead of a name then.
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

// text returns a path as written in the configuration: relative to its file, or to the home folder.
func (w *work) text(path string) string {
	if w.Config != w.Home && within(w.Config, path) {
		rel, _ := filepath.Rel(w.Config, path) // within has succeeded
		if strings.HasPrefix(rel, "~") {
			rel = "./" + rel
		}
		return filepath.ToSlash(rel)
	}
	return w.shown(path)
}

// shown returns a path in the form for people, with ~ for the home folder.
func (w *work) shown(path string) string {
	if rel, err := filepath.Rel(w.Home, path); w.Home != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

func (w *work) problem(p Problem) { w.out.Problems = append(w.out.Problems, p) }
