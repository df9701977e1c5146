package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/toolscript/toolscript"
)

// Extra holds servers that one command adds to those of the files: definitions in the form
// of mcpServers, by name. They need no trust, and replace servers of the files that have
// the same names.
type Extra map[string]json.RawMessage

// extraSource names extra servers in messages.
const extraSource = "the servers of the command line"

// addExtra merges the extra servers over those of the files.
func (l *loader) addExtra() error {
	if len(l.options.Extra) == 0 {
		return nil
	}
	text, err := json.Marshal(map[string]Extra{serversKey: l.options.Extra})
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	d, err := parse(extraSource, text)
	if err != nil {
		return l.mistake(err)
	}
	all := effect{all: true}
	l.expand(d, all)
	v := d.validate()
	l.config.Mistakes = append(l.config.Mistakes, v.mistakes...)
	l.report(v.warnings)
	if len(v.mistakes) > 0 { // in a server that the command is about
		l.failed = true
		return nil
	}
	l.config.Untrusted = slices.DeleteFunc(l.config.Untrusted, func(name string) bool {
		_, replaced := l.options.Extra[toolscript.WithoutAccount(name)]
		return replaced
	})
	l.mergeServers(d, File{Named: true}, all, v)
	for name, c := range l.config.Servers {
		if definition, is := l.options.Extra[toolscript.WithoutAccount(name)]; is {
			c.Source = extraSource + " " + shortHash(definition)
			l.config.Servers[name] = c
		}
	}
	return nil
}

// shortHash returns a hash that distinguishes the definitions of two commands. Tool lists and pins
// are stored by name and source, so the data of another server of the same name is not found.
func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
