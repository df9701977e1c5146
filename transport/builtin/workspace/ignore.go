package workspace

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// rule is one line of a .gitignore file.
type rule struct {
	glob    string // pattern for the path below the folder of the file
	keep    bool   // the line began with "!": keep matching files
	folders bool   // the line ended with "/": match only folders
}

// Rules are the rules of a .gitignore file, or patterns of the same form.
type Rules struct {
	dir   string // folder of the file, with slashes; "." is the workspace
	rules []rule
}

// ParseRules parses patterns in the form of .gitignore for the files below a folder.
// Invalid patterns match nothing.
func ParseRules(dir string, lines ...string) *Rules {
	r := &Rules{dir: filepath.ToSlash(dir)}
	for _, line := range lines {
		if parsed, ok := parseRule(line); ok {
			r.rules = append(r.rules, parsed)
		}
	}
	return r
}

func parseRule(line string) (r rule, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	line = escapeBraces(line)
	if !anchored {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") { // the content of a folder, not the folder
		line += "/*"
	}
	r.glob = line
	return r, len(line) <= maxGlob && doublestar.ValidatePattern(line)
}

// escapeBraces escapes braces, which are ordinary characters in .gitignore.
func escapeBraces(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			out.WriteByte('\\')
			out.WriteByte(pattern[i])
		case c == '{' || c == '}':
			out.WriteByte('\\')
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// match applies the last rule that matches a path of the workspace, with slashes; known is false if
// there is none. It stops when ctx ends, because a file can have half a million rules.
func (r *Rules) match(ctx context.Context, name string, isDir bool) (ignored, known bool) {
	if r == nil || len(r.rules) == 0 {
		return false, false
	}
	rest := name
	if r.dir != "." {
		below, ok := strings.CutPrefix(name, r.dir+"/")
		if !ok {
			return false, false
		}
		rest = below
	}
	for i := len(r.rules) - 1; i >= 0; i-- {
		if i%256 == 255 && ctx.Err() != nil {
			return false, false
		}
		rule := r.rules[i]
		if (!rule.folders || isDir) && doublestar.MatchUnvalidated(rule.glob, rest) {
			return !rule.keep, true
		}
	}
	return false, false
}

// Matches reports whether the rules ignore a path of the workspace or one of its parent
// folders. After the end of ctx, the result has no meaning.
func (r *Rules) Matches(ctx context.Context, name string, isDir bool) bool {
	for {
		if ignored, known := r.match(ctx, name, isDir); known && ignored {
			return true
		}
		if name = path.Dir(name); name == "." || name == "/" {
			return false
		}
		isDir = true
	}
}

// maxRules is the maximum size of a .gitignore file, in bytes.
const maxRules = 1 << 20

// load returns the rules in a file of a folder, or nil if the file cannot be read.
func load(w *tool.Workspace, dir, name string) *Rules {
	f, _, err := w.Open(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	var lines []string
	scan := bufio.NewScanner(io.LimitReader(f, maxRules))
	scan.Buffer(nil, maxRules)
	for scan.Scan() {
		lines = append(lines, strings.TrimPrefix(scan.Text(), "\ufeff"))
	}
	return ParseRules(dir, lines...)
}

// ruleFiles are the names of files with rules. All files of one name take precedence over
// those of the next name.
var ruleFiles = [...]string{".rgignore", ".ignore", ".gitignore"}

// filter decides which files of the workspace a search sees. It is not safe for concurrent
// use.
type filter struct {
	ctx   context.Context //nolint:containedctx // of one search
	w     *tool.Workspace
	top   string              // the searched folder, with slashes
	outer bool                // the rules of folders above top apply
	known map[string][]*Rules // rules of each folder
	kept  int                 // number of rules in known
}

// maxKept is the maximum of rules that a filter caches. Beyond it, the cache is cleared.
const maxKept = 1 << 19

// newFilter returns the filter of a search below a folder. The rules of the folders above
// it apply, unless they ignore the folder itself.
func newFilter(ctx context.Context, w *tool.Workspace, dir string) *filter {
	f := &filter{ctx: ctx, w: w, top: filepath.ToSlash(dir), outer: true, known: map[string][]*Rules{}}
	for at := f.top; at != "."; at = path.Dir(at) {
		if f.ignored(at, true) {
			f.outer = false
			break
		}
	}
	return f
}

// rules returns the rules of a folder.
func (f *filter) rules(dir string) []*Rules {
	if all, known := f.known[dir]; known {
		return all
	}
	var all []*Rules
	for _, name := range ruleFiles {
		all = append(all, load(f.w, filepath.FromSlash(dir), name))
	}
	f.keep(dir, all)
	return all
}

// keep caches the rules of a folder.
func (f *filter) keep(dir string, all []*Rules) {
	for _, r := range all {
		if r != nil {
			f.kept += len(r.rules)
		}
	}
	if f.kept > maxKept {
		f.kept = 0
		clear(f.known)
	}
	f.known[dir] = all
}

// list reads the rules of a folder whose entries are known.
func (f *filter) list(dir string, entries []fs.DirEntry) {
	var all []*Rules
	for _, name := range ruleFiles {
		var rules *Rules
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			rules = load(f.w, filepath.FromSlash(dir), name)
		}
		all = append(all, rules)
	}
	f.keep(dir, all)
}

// ignored reports whether the rules ignore a file or folder whose parent is not ignored.
// The rules of the nearest folder take precedence.
func (f *filter) ignored(name string, isDir bool) bool {
	for i := range ruleFiles {
		for dir := path.Dir(name); ; dir = path.Dir(dir) {
			if ignored, known := f.rules(dir)[i].match(f.ctx, name, isDir); known {
				return ignored
			}
			if dir == "." || dir == f.top && !f.outer {
				break
			}
		}
	}
	return false
}
