package config

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// programPaths are the fields of a server in which a leading ~ is the home folder; "*"
// stands for any name or item.
var programPaths = [][]string{{"command"}, {"args", "*"}, {"env", "*"}, {"commands", "*", "run", "*"}}

// settingPaths are the fields outside of servers that name a file or a folder.
var settingPaths = [][]string{
	{"search", "model"}, {"search", "library"},
	{"fleet", "credentials"}, {"fleet", "tls", "ca"}, {"fleet", "tls", "cert"}, {"fleet", "tls", "key"},
}

// homeFolder is the folder that a leading ~ stands for. A nil homeFolder expands nothing.
type homeFolder struct{ path string } // "" if the folder is unknown

// homeFolder returns the home folder as the programs of servers see it.
func (o Options) homeFolder() *homeFolder {
	return &homeFolder{o.env(homeVariable())} // as in a shell, links are not resolved
}

// setHome makes expand replace ~ in the fields of programPaths.
func (n *node) setHome(home *homeFolder) {
	for _, path := range programPaths {
		n.each(path, func(_ []string, n *node) { n.home = home })
	}
}

// each calls yield for each node at a path, with its location below at.
func (n *node) each(path []string, yield func(location []string, n *node), at ...string) {
	switch {
	case n == nil:
	case len(path) == 0:
		yield(at, n)
	case path[0] == "*":
		for name, child := range n.children() {
			child.each(path[1:], yield, append(at[:len(at):len(at)], name)...)
		}
	default:
		n.child(path[0]).each(path[1:], yield, append(at[:len(at):len(at)], path[0])...)
	}
}

// wrongPaths returns mistakes for texts of a server that begin with the home folder of a named user.
func (d *document) wrongPaths(name string, n *node) []finding {
	return wrongHomes(n, []string{serversKey, name}, slices.Concat(programPaths, kindOf(n).Paths))
}

// wrongSettingPaths is wrongPaths for settingPaths.
func (d *document) wrongSettingPaths() []finding {
	return wrongHomes(d.root, nil, settingPaths)
}

func wrongHomes(n *node, at []string, paths [][]string) (out []finding) {
	for _, path := range paths {
		n.each(path, func(location []string, n *node) {
			if problem := otherHome(n.written); problem != "" {
				out = append(out, wrongAt(location, n.at, problem))
			}
		}, at...)
	}
	return out
}

var namedHome = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^~[A-Za-z_][\w.-]*/`) })

// otherHome describes the mistake in a text that begins with the home folder of a named
// user, such as ~root/x. It returns "" for other texts.
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

// cut expands the start of a text: head is the replacement of a leading ~ or \~, and rest is
// the remaining text. known is false if the text needs the home folder and it is unknown.
func (h *homeFolder) cut(text string) (head, rest string, known bool) {
	rest, is := tilde(text)
	switch {
	case h == nil:
		return "", text, true
	case is:
		return h.path, rest, h.path != ""
	case strings.HasPrefix(text, `\~`): // an escaped ~
		return "~", text[2:], true
	default:
		return "", text, true
	}
}
