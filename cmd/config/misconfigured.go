package config

import (
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Misconfigured is the error of a server that is not started because of mistakes in its definition.
type Misconfigured struct {
	Path     string   // path of the file
	Mistakes Mistakes // empty if the file has too many mistakes to list
}

func (m *Misconfigured) Error() string {
	return m.What() + "; correct it, and check it with: toolscript config validate"
}

// What returns the text without advice.
func (m *Misconfigured) What() string {
	what := make([]string, len(m.Mistakes))
	for i, mistake := range m.Mistakes {
		what[i] = mistake.Error()
	}
	if len(what) == 0 {
		what = []string{"its definition in " + m.Path + " has a mistake"}
	}
	return "misconfigured: " + strings.Join(what, "; ")
}

// misconfigured returns the configuration of a server that cannot start because of mistakes. It
// replaces earlier servers of the same name: a script must not reach another server.
func misconfigured(name string, n *node, file File, mistakes Mistakes) upstream.Config {
	c := upstream.Config{Type: knownType(n), Source: file.Path, Disabled: n.child("disabled").flag(), Timeout: upstream.DefaultTimeout, Accounts: n.accounts}
	c.Problem = &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: &Misconfigured{file.Path, mistakes}}
	return c
}

// knownType returns the type of a server, or "" if its definition does not determine it.
func knownType(n *node) string {
	kind := kindOf(n)
	if kind.Implied != "" && n.child(kind.Implied) == nil && n.child("type") == nil {
		return ""
	}
	return kind.Type
}

// mustNotBe reports whether a name is not allowed for a server.
func mustNotBe(name string) bool {
	return name == "" || name == toolscript.ScriptsServer || toolscript.CheckServerName(name) != nil || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}
