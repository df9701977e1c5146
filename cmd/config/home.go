package config

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// programPaths are the fields of a server in which ~ at the start of a text is the home folder;
// "*" is any name or item.
var programPaths = [][]string{{"command"}, {"args", "*"}, {"env", "*"}, {"commands", "*", "run", "*"}}

// filePaths are the fields of a server that name a file or a folder. Options.absolute expands
// ~ in them, also in the values of variables.
var filePaths = [][]string{{"cwd"}, {"root"}, {"spec"}, {"confine", "read", "*"}, {"confine", "write", "*"}, {"exec", "writable", "*"}}

// settingPaths are such fields outside of servers.
var settingPaths = [][]string{
	{"search", "model"}, {"search", "library"},
	{"fleet", "credentials"}, {"fleet", "tls", "ca"}, {"fleet", "tls", "cert"}, {"fleet", "tls", "key"},
}

// homeFolder is what ~ at the start of a text stands for; nil: for nothing.
type homeFolder struct{ path string } // "" if it is unknown

// homeFolder is the home folder in which the programs of servers find their files.
func (o Options) homeFolder() *homeFolder {
	return &homeFolder{o.env(homeVariable())} // as a shell has it, with links
}

// setHome has ~ be expanded in a server.
func (n *node) setHome(home *homeFolder) {
	for _, path := range programPaths {
		n.each(path, func(_ []string, n *node) { n.home = home })
	}
}

// each calls yield for each node at a path, with its location.
func (n *node) each(path []string, yield func(location []string, n *node)) {
	n.walk(path, nil, yield)
}

func (n *node) walk(path, location []string, yield func([]string, *node)) {
	switch {
	case n == nil:
	case len(path) == 0:
		yield(location, n)
	case path[0] == "*":
		for name, child := range n.children() {
			child.walk(path[1:], append(location[:len(location):len(location)], name), yield)
		}
	default:
		n.child(path[0]).walk(path[1:], append(location[:len(location):len(location)], path[0]), yield)
	}
}

// wrongPaths are the texts of a server that begin with the home folder of a named user.
func (d *document) wrongPaths(name string, n *node) []finding {
	return wrongHomes(n, []string{serversKey, name}, slices.Concat(programPaths, filePaths))
}

// wrongSettingPaths are such texts outside of servers.
func (d *document) wrongSettingPaths() []finding {
	return wrongHomes(d.root, nil, settingPaths)
}

func wrongHomes(n *node, at []string, paths [][]string) (out []finding) {
	for _, path := range paths {
		n.each(path, func(location []string, n *node) {
			if problem := otherHome(n.written); problem != "" {
				out = append(out, wrongAt(slices.Concat(at, location), n.at, problem))
			}
		})
	}
	return out
}

var namedHome = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^~[A-Za-z_][\w.-]*/`) })

// otherHome is what is wrong with a text that begins with the home folder of a named user,
// such as ~root/x; "" if nothing is.
func otherHome(text string) string {
	user := namedHome().FindString(text)
	if user == "" {
		return ""
	}
	return fmt.Sprintf(`%s is not known: write ~/ or ${%s}/ for your own home folder, the whole path for another one, or \%[1]s if the text begins with it as it is (in JSON: \\)`, user, homeVariable())
}

// tilde returns the text behind a ~ that stands for the home folder.
func tilde(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, "~")
	ok = ok && (rest == "" || rest[0] == '/' || runtime.GOOS == "windows" && rest[0] == '\\')
	return rest, ok
}

// cut divides a text: head is what the start of the text stands for, and rest is the other
// part. known is false if that is the home folder, and it is unknown.
func (h *homeFolder) cut(text string) (head, rest string, known bool) {
	rest, is := tilde(text)
	switch {
	case h == nil:
		return "", text, true
	case is:
		return h.path, rest, h.path != ""
	case strings.HasPrefix(text, `\~`): // a ~ that stays
		return "~", text[2:], true
	default:
		return "", text, true
	}
}
