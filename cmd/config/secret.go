package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/secrets"
)

// secretPrefix distinguishes secrets from variables. No variable name has a colon.
const secretPrefix = "secret:"

// SecretRequest is a secret that a server refers to but does not get.
type SecretRequest struct {
	Name    string // name of the secret
	Server  string
	Fields  []string // fields of the server that refer to it
	Missing bool     // there is no secret of this name
	Known   bool     // the secret was confirmed for an earlier definition of the server
	Identity
}

// Identity identifies one definition of a server. Secrets are bound to it.
type Identity struct {
	File       string // path of the file that defines the server
	Project    bool   // the file is a project's file
	Named      bool   // the file is named by --config or TOOLSCRIPT_CONFIG
	Definition string // definition as text for people
	Hash       string
}

// SecretStore returns the store of secrets below the data folder.
func SecretStore(o Options) (secrets.Store, error) {
	dir, err := DataDir(o)
	return secrets.Store{Dir: filepath.Join(dir, "secrets")}, err
}

// secretSource reads secrets while files are loaded.
type secretSource struct {
	book *secrets.Book // nil until the first reference
	err  error         // why the store cannot be read

	asked map[*node][]SecretRequest // secrets that servers do not get, by the node of the server
}

// withheldError says why a server does not get a secret.
type withheldError struct {
	what, next string
	kind       toolscript.Kind
}

func (e *withheldError) Error() string { return e.what }

// expandServers expands the variables and secrets of servers. A server gets a secret only
// if a person has allowed it for this definition of the server. Nothing else gives access:
// neither trust nor a flag.
func (l *loader) expandServers(d *document, e effect, lookup func(trusted bool) variables) {
	refers := bytes.Contains(d.text, []byte("${"+secretPrefix))
	var parts definitions
	misplaced := map[part]bool{}
	if refers || l.options.Identify {
		parts = define(d.root)
		for _, f := range d.wrongSecrets() {
			misplaced[f.part] = true
		}
	}
	home := l.options.homeFolder()
	for name, n := range d.root.child(serversKey).children() {
		values := lookup(e.server(name))
		n.setHome(home)
		var secret secretValues
		if values != nil && (refers || l.options.Identify) {
			id := identify(d.path, parts.servers[name], n, values)
			id.Project, id.Named = e.file.Project, e.file.Named
			if l.options.Identify {
				l.config.Identities[name] = id
			}
			if refers && !misplaced[server(name)] {
				secret = l.secretsOf(name, n, id)
			}
			if address := n.child("url"); address != nil {
				address.address = !l.options.NoValues
			}
		}
		n.expand(values, secret)
	}
}

// delivered are the fields of a definition that the server receives. The others decide
// which program or address receives them.
var delivered = []string{"env", "headers", "auth"}

// identify returns the identity of a server: its definition as written and, because
// variables may name the program or the address, their values outside of delivered.
func identify(path, definition string, n *node, lookup variables) Identity {
	var expanded []string
	for _, field := range definingFields(n) {
		if slices.Contains(delivered, field) {
			continue
		}
		for _, n := range n.child(field).all() {
			if text, _ := n.home.expand(n.written, lookup, nil); text != n.written {
				expanded = append(expanded, n.written, text)
			}
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %q %q %q", path, definition, expanded))
	return Identity{File: path, Definition: definition, Hash: hex.EncodeToString(sum[:])}
}

// secretsOf returns the source of the secrets of one server.
func (l *loader) secretsOf(server string, n *node, id Identity) secretValues {
	return func(name string) (string, error) {
		if id.File == extraSource {
			return "", &withheldError{"secret " + name + " is not given to a server of the command line", "keep the server in a file with --save NAME", toolscript.Forbidden}
		}
		book, err := l.secrets.read(l.options)
		if err != nil {
			return "", &withheldError{what: err.Error(), kind: toolscript.Invalid}
		}
		found, ok := book.Find(name)
		if ok && found.Allows(server, id.File, id.Hash) {
			if l.options.NoValues {
				return "${" + secretPrefix + name + "}", nil
			}
			value, err := book.Value(name)
			if err != nil {
				return "", &withheldError{what: err.Error(), kind: toolscript.Unavailable}
			}
			return value, nil
		}
		request := SecretRequest{Name: name, Server: server, Missing: !ok, Known: found.Knew(server, id.File), Identity: id}
		l.secrets.add(n, request)
		return "", request.problem()
	}
}

// read reads the store, once.
func (s *secretSource) read(o Options) (*secrets.Book, error) {
	if s.book == nil && s.err == nil {
		var store secrets.Store
		if store, s.err = SecretStore(o); s.err == nil {
			s.book, s.err = store.Read()
		}
	}
	return s.book, s.err
}

func (s *secretSource) add(n *node, r SecretRequest) {
	if s.asked == nil {
		s.asked = map[*node][]SecretRequest{}
	}
	if !slices.ContainsFunc(s.asked[n], func(other SecretRequest) bool { return other.Name == r.Name }) {
		s.asked[n] = append(s.asked[n], r)
	}
}

// problem returns why the server does not get the secret, with the command to run next.
func (r SecretRequest) problem() *withheldError {
	switch {
	case r.Missing:
		return &withheldError{"secret " + r.Name + " is not set", "store it: " + r.Command(), toolscript.Invalid}
	case r.Known:
		return &withheldError{"secret " + r.Name + " was confirmed for another definition of this server", "confirm it at a terminal: toolscript secret confirm", toolscript.Forbidden}
	default:
		return &withheldError{"secret " + r.Name + " is not confirmed for this server", "confirm it at a terminal: toolscript secret confirm", toolscript.Forbidden}
	}
}

// Command returns the command that stores the secret. It omits the name of a server that a
// shell might interpret, because people copy commands from errors.
func (r SecretRequest) Command() string {
	command := toolscript.Command("secret", "set", r.Name)
	if secrets.CheckName(toolscript.WithoutAccount(r.Server)) == nil {
		command += " --for " + toolscript.ShellWord(r.Server)
	}
	return command
}

// ask records the requests of a server, which replace those of earlier servers of the same name.
func (l *loader) ask(name string, n *node) {
	l.config.Waiting = slices.DeleteFunc(l.config.Waiting, func(r SecretRequest) bool { return r.Server == name })
	for _, r := range l.secrets.asked[n] {
		for _, m := range n.missing() {
			if m.variable == secretPrefix+r.Name {
				r.Fields = append(r.Fields, fieldPath(n, m.field))
			}
		}
		l.config.Waiting = append(l.config.Waiting, r)
	}
}

// secretProblem returns why a server does not get its secrets; nil if it gets them.
func secretProblem(server string, missing []missing) error {
	var what, next []string
	kind := toolscript.Invalid
	for _, m := range missing {
		withheld, is := errors.AsType[*withheldError](m.why)
		if !is {
			continue
		}
		if len(what) == 0 {
			kind = withheld.kind
		}
		what = append(what, fmt.Sprintf("%s (%s)", withheld.what, strings.Join(m.field, ".")))
		if withheld.next != "" && !slices.Contains(next, withheld.next) {
			next = append(next, withheld.next)
		}
	}
	if len(what) == 0 {
		return nil
	}
	return &toolscript.Error{Kind: kind, Server: server, Err: errors.New(strings.Join(append(what, next...), "; "))}
}
