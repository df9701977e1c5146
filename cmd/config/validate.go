package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxReported is the maximum number of mistakes, and of warnings, that are reported for one file.
const maxReported = 20

// finding is one mistake, or one unknown field.
type finding struct {
	part      part
	location  []string
	at        int                         // byte offset in the file
	violation *jsonschema.ValidationError // violation of the schema; nil: message says what is wrong
	message   string
}

// part is the smallest part of a file that a mistake disables: a server, a command of a
// server, or a top-level field. The zero value is the whole file.
type part struct {
	key     string
	server  string // server of mcpServers, if one is set
	command string // command of the server; "" for the whole server
	one     bool
}

func partOf(location []string) part {
	switch {
	case len(location) == 0:
		return part{}
	case location[0] == serversKey && len(location) > 3 && location[2] == commandsKey:
		return part{serversKey, location[1], location[3], true}
	case location[0] == serversKey && len(location) > 1:
		return server(location[1])
	default:
		return part{key: location[0]}
	}
}

func server(name string) part { return part{serversKey, name, "", true} }

const serversKey = "mcpServers"

// separate are the top-level fields whose mistakes disable only that field: without the
// field, nothing more is allowed, sent or kept. A mistake in any other field, such as
// approvals or limits, disables the whole file: without its restrictions, scripts could do
// more than the user has decided.
var separate = []string{"engine", "check", "types", "output", "search", "defaults", "hub", "fleet", "plugin", "suggestions"}

// verdict is the result of validating a document.
type verdict struct {
	mistakes Mistakes          // in the order of the file, at most maxReported
	broken   map[part]Mistakes // mistakes by part; empty for mistakes beyond maxReported
	warnings Mistakes
}

// whole reports whether no part of the file may have an effect. active is false for a file
// whose settings have no effect in any case.
func (v verdict) whole(active bool) bool {
	for p := range v.broken {
		switch {
		case p.one || slices.Contains(separate, p.key):
		case p.key == "" || p.key == serversKey || active:
			return true
		}
	}
	return false
}

// settings returns the top-level fields, besides the servers, that have mistakes.
func (v verdict) settings() (names []string) {
	for p := range v.broken {
		if !p.one {
			names = append(names, p.key)
		}
	}
	return names
}

// server returns the mistakes of a server, and whether it has any.
func (v verdict) server(name string) (Mistakes, bool) {
	m, wrong := v.broken[server(name)]
	return m, wrong
}

// commands returns the mistakes in a server's commands by command name.
func (v verdict) commands(name string) map[string]Mistakes {
	out := map[string]Mistakes{}
	for p, m := range v.broken {
		if p.server == name && p.command != "" {
			out[p.command] = m
		}
	}
	return out
}

// validate checks the document against the schema, and against rules that the schema cannot
// express. Unknown fields are warnings unless the same part has a mistake: a misspelt field
// is often the reason why another one is missing. A field that an unset variable leaves
// open is not a mistake: the server that needs the variable is reported instead.
func (d *document) validate() verdict {
	wrong, unknown := d.againstSchema()
	broken := map[part]Mistakes{}
	note := func(found []finding) {
		wrong = append(wrong, found...)
		for _, f := range found {
			broken[f.part] = nil
		}
	}
	for _, f := range wrong {
		broken[f.part] = nil
	}
	v := verdict{broken: broken}
	for name, n := range d.root.child(serversKey).children() {
		if _, is := v.server(name); !is {
			note(d.wrongServer(name, n, v.commands(name)))
			unknown = append(unknown, d.nearWords(name, n)...)
		}
	}
	if _, is := broken[part{key: "fleet"}]; !is {
		note(d.wrongFleet())
	}
	note(d.wrongSettingPaths())
	note(d.wrongReferences())
	note(d.wrongSecrets())
	all := v.whole(true)
	var harmless []finding
	for _, f := range unknown {
		if _, is := broken[f.part]; is || all {
			wrong = append(wrong, f)
		} else {
			harmless = append(harmless, f)
		}
	}
	v.mistakes, v.warnings = d.report(wrong), d.report(harmless)
	for i, m := range v.mistakes { // report has sorted wrong
		broken[wrong[i].part] = append(broken[wrong[i].part], m)
	}
	return v
}

// againstSchema returns the violations of the schema, and the fields that the schema does not know.
func (d *document) againstSchema() (wrong, unknown []finding) {
	var invalid *jsonschema.ValidationError
	if err := schemaRules().compiled.Validate(d.root.plain()); !errors.As(err, &invalid) {
		return nil, nil
	}
	for _, v := range violations(invalid, nil) {
		switch k := v.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, f := range d.fields(v, k.Properties) {
				f.part = partOf(v.InstanceLocation)
				d.root.find(f.location).unknown = true
				unknown = append(unknown, f)
			}
		case *kind.Required:
			wrong = append(wrong, d.fields(v, k.Missing)...)
		default:
			if n := d.root.find(v.InstanceLocation); len(n.unset) == 0 {
				wrong = append(wrong, finding{part: partOf(v.InstanceLocation), location: v.InstanceLocation, at: n.at, violation: v})
			}
		}
	}
	return wrong, unknown
}

// wrongServer returns the mistakes in a server that the schema cannot find.
func (d *document) wrongServer(name string, n *node, broken map[string]Mistakes) []finding {
	return slices.Concat(d.wrongAccounts(name, n), d.wrongCommands(name, n, broken), d.wrongOverrides(name, n), d.wrongConfine(name, n), d.wrongPaths(name, n), d.wrongDestination(name, n))
}

// wrongAt returns a mistake that the schema cannot find.
func wrongAt(location []string, at int, message string) finding {
	return finding{part: partOf(location), location: location, at: at, message: message}
}

// violations returns the leaves of the validator's tree. A oneOf counts as a leaf: the
// mistake is that no branch fits.
func violations(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, ok := e.ErrorKind.(*kind.OneOf); ok || len(e.Causes) == 0 {
		return append(found, e)
	}
	for _, cause := range e.Causes {
		found = violations(cause, found)
	}
	return found
}

// fields returns a finding for each field that one violation is about.
func (d *document) fields(v *jsonschema.ValidationError, names []string) []finding {
	var out []finding
	for _, name := range names {
		location := append(slices.Clone(v.InstanceLocation), name)
		out = append(out, finding{part: partOf(location), location: location, at: d.root.find(location).key, violation: v})
	}
	return out
}

// report turns findings into messages, in the order of the file, which the validator does
// not keep. Findings beyond maxReported are only counted, before any work is done for them:
// a hostile file can cause very many.
func (d *document) report(findings []finding) Mistakes {
	slices.SortFunc(findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.location, b.location))
	})
	var out Mistakes
	for _, f := range findings[:min(len(findings), maxReported)] {
		message := f.message
		if f.violation != nil {
			message = d.allowed(f)
		}
		out = append(out, d.mistake(f.location, f.at, message))
	}
	if more := len(findings) - len(out); more > 0 {
		out[len(out)-1].Message += fmt.Sprintf(" (and %d more)", more)
	}
	return out
}

// mistake returns a mistake in the field at a location. The field may be missing.
func (d *document) mistake(location []string, at int, message string) *Mistake {
	m := d.mistakeAt(at, message)
	p := partOf(location)
	m.Field, m.Server, m.Command = fieldPath(d.root, location), p.server, p.command
	return m
}

// repetitions returns warnings about keys that occur more than once in an object.
func (d *document) repetitions() Mistakes {
	var out Mistakes
	for _, location := range d.repeated[:min(len(d.repeated), maxReported)] {
		out = append(out, d.mistake(location, d.root.find(location).key, "written more than once; the last one is used"))
	}
	return out
}
