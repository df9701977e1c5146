package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// Targets are the configuration files of toolscript to which servers are written. The path
// of the project's file is "" if there is no project, or if the user named the file to use:
// the servers of a repository must not reach a file that needs no trust.
type Targets struct {
	User    File
	Project File
}

// Import is the plan of an import.
type Import struct {
	Changes   []*Change
	Taken     []Taken
	Left      []Left
	Variables []Variable // variables to set
	Secrets   []Secret   // secrets to store, to which the changes refer
	Keepable  bool       // some of the variables could be secrets of toolscript instead
	Notes     []string
	Trusted   bool // the changes add nothing that needs trust
}

// Taken is a server that the import takes over.
type Taken struct {
	Name   string `json:"name"`
	Client string `json:"client"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// Left is a server, or a whole file, that the import leaves out.
type Left struct {
	Name   string   `json:"name,omitempty"`
	Client string   `json:"client"`
	From   string   `json:"from"`
	Kind   LeftKind `json:"kind"`
	Why    string   `json:"why"`
}

// LeftKind is the kind of reason why a server is left out.
type LeftKind string

// The kinds of reasons. The first three need no action by the user.
const (
	LeftConfigured LeftKind = "configured" // toolscript has the server already
	LeftItself     LeftKind = "toolscript" // the server is toolscript
	LeftDisabled   LeftKind = "disabled"   // the client does not use it
	LeftDuplicate  LeftKind = "duplicate"  // another client has it too
	LeftConflict   LeftKind = "conflict"   // another server has the name
	LeftInvalid    LeftKind = "invalid"    // the server or file cannot be read, or toolscript cannot use it
)

// Told returns the omitted servers and files that the user should know about, without servers that toolscript has
// already. If the import takes nothing, it returns nil, because the text of Nothing names them.
func (i *Import) Told() []Left {
	if len(i.Taken) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(i.Left), func(l Left) bool { return l.Kind == LeftConfigured })
}

// Nothing returns a line that says that the import takes nothing, and what else it found.
func (i *Import) Nothing() string {
	var others []string
	for _, l := range i.Left {
		if l.Kind != LeftConfigured && l.Kind != LeftItself && l.Kind != LeftDisabled {
			others = append(others, strings.TrimPrefix(l.Name+" of "+l.Client, " of "))
		}
	}
	text := "there is nothing to import"
	if len(others) == 0 {
		return text
	}
	more := ""
	if n := len(others) - maxOthers; n > 0 {
		others, more = others[:maxOthers], fmt.Sprintf(" and %d more", n)
	}
	return text + "; left out: " + strings.Join(others, ", ") + more + "; the reasons: toolscript config import --json"
}

const maxOthers = 5

// InProject reports whether a taken server goes into the project's file.
func (i *Import) InProject(server string) bool {
	return slices.ContainsFunc(i.Changes, func(c *Change) bool {
		return c.File.Project && slices.ContainsFunc(i.Taken, func(t Taken) bool { return t.Name == server && t.To == c.File.Path })
	})
}

// Options select what Plan reads.
type Options struct {
	From *Client // nil: all clients

	// Store reports whether the secret store has a name, so that new secrets get other
	// names. If Store is nil, tokens become variables instead of secrets.
	Store func(name string) bool
}

// Plan reads the servers of clients, and returns the plan of the import. It writes nothing.
func Plan(places Places, targets Targets, o Options) (*Import, error) {
	p := &planner{places: places, secretValues: secretValues{places: places, store: o.Store, values: map[string]string{}}, needed: map[string]string{}}
	if err := p.open(targets); err != nil {
		return nil, err
	}
	for _, c := range all {
		if o.From != nil && c != o.From {
			continue
		}
		for _, file := range c.in(places) {
			p.take(c, file)
		}
	}
	return p.done()
}

// planner collects servers, file by file.
type planner struct {
	places       Places
	secretValues secretValues
	needed       map[string]string
	plan         Import
	user         *target
	own          *target // the project's file; nil without a project
	seen         []seen
}

// seen is a server that is taken over, or that toolscript has already.
type seen struct {
	name, identity, where string
	project               bool
	shape                 string // shape of a server that toolscript has; "" for a server that is taken over
}

// target is a configuration file of toolscript that gets servers.
type target struct {
	change  *Change
	servers map[string]any // servers that the file has already
	added   []*Server
}

func (p *planner) open(targets Targets) (err error) {
	if p.user, err = openTarget(targets.User); err != nil {
		return err
	}
	p.know(p.user)
	if targets.Project.Path != "" {
		if p.own, err = openTarget(targets.Project); err != nil {
			return err
		}
		p.know(p.own)
	}
	return nil
}

func openTarget(f File) (*target, error) {
	text, err := read(f)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if _, wrong := config.Check(f.Path, text); wrong != nil && !json.Valid(text) {
			return nil, wrong
		}
	}
	d, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return &target{&Change{File: f, before: text, after: text}, object(d.root.at("mcpServers").plain()), nil}, nil
}

// know records the servers that toolscript has.
func (p *planner) know(t *target) {
	for _, name := range sortedKeys(t.servers) {
		s := Server{Name: name, fields: object(copied(t.servers[name]))}
		p.seen = append(p.seen, seen{name, s.identity(), t.change.File.Path, t.change.File.Project, s.shape()})
	}
}

// take takes over the servers of one file.
func (p *planner) take(c *Client, file File) {
	leave := func(name string, kind LeftKind, why string) {
		p.plan.Left = append(p.plan.Left, Left{name, c.Title, file.Path, kind, why})
	}
	servers, err := c.read(p.places, file, p.needed)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			leave("", LeftInvalid, err.Error())
		}
		return
	}
	to := p.user
	if file.Project {
		to = p.own
	}
	for _, s := range servers {
		if kind, why := p.add(s, to); kind != "" {
			leave(s.Name, kind, why)
		}
	}
}

// listing is the content of a file that concerns servers.
type listing struct {
	names   []string // names of the servers, in the order of the file
	servers map[string]any
	asked   map[string]string // descriptions of the inputs that the file asks for
	root    any               // the whole file
}

// contents reads the servers of a file.
func contents(file File, text []byte) (in listing, err error) {
	if file.format != "" {
		parse := parseTOML
		if file.format == yamlFile {
			parse = parseYAML
		}
		fields, err := parse(text)
		if err != nil {
			return in, err
		}
		value, err := asJSON(valueAt(fields, file.keys))
		in.servers = object(value)
		in.names = sortedKeys(in.servers)
		return in, err
	}
	d, err := parse(text)
	if err != nil {
		return in, err
	}
	in.root = d.root.plain()
	n := d.root.at(file.keys...)
	if n == nil {
		return in, nil
	}
	o := n.object()
	if o == nil {
		return in, fmt.Errorf("%s is not an object", file.keys[len(file.keys)-1])
	}
	for _, m := range o.Members {
		if key := keyOf(m); !slices.Contains(in.names, key) {
			in.names = append(in.names, key)
		}
	}
	in.servers, in.asked = object(n.plain()), inputs(d.root)
	return in, nil
}

// inputs returns the descriptions of ${input:NAME}, by name.
func inputs(root *node) map[string]string {
	out := map[string]string{}
	for _, value := range root.at("inputs").items() {
		item := (*node)(&value)
		id, _ := item.at("id").plain().(string)
		out[id], _ = item.at("description").plain().(string)
	}
	return out
}

// add adds a server to a file, or returns why it does not.
func (p *planner) add(s *Server, to *target) (kind LeftKind, why string) {
	switch {
	case s.refused != "":
		return LeftInvalid, s.refused
	case s.isToolscript():
		return LeftItself, "it is toolscript itself"
	case s.disabled():
		return LeftDisabled, s.Client.Title + " has disabled it; to take it over, enable it there first"
	case to == nil:
		return LeftInvalid, "the servers of a project go into the project's own file; run the command without --config and TOOLSCRIPT_CONFIG"
	}
	identity, shape := s.identity(), s.shape() // with the tokens, because they tell two accounts apart
	before := p.secretValues
	p.secretValues.hide(s)
	hidden := s.identity() // the form in which toolscript may have it already
	if kind, why := p.known(s, shape, identity, hidden); kind != "" {
		p.secretValues.reset(before)
		return kind, why
	}
	warnings, mistakes := config.Check(s.File.Path, s.alone())
	if mistakes != nil {
		p.secretValues.reset(before)
		return LeftInvalid, reasons(mistakes)
	}
	for _, note := range s.notes {
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s of %s: %s", s.Name, s.Client.Title, note))
	}
	for _, warning := range warnings {
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("%s of %s: %s: %s", s.Name, s.Client.Title, warning.Field, warning.Message))
	}
	p.seen = append(p.seen, seen{s.Name, identity, s.Client.Title, s.File.Project, ""}, seen{s.Name, hidden, s.Client.Title, s.File.Project, ""})
	to.added = append(to.added, s)
	p.plan.Taken = append(p.plan.Taken, Taken{s.Name, s.Client.Title, s.File.Path, to.change.File.Path})
	return "", ""
}

// reasons returns the text of a definition's mistakes, without the path of a file.
func reasons(err error) string {
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) {
		return err.Error()
	}
	var out []string
	for _, m := range mistakes {
		out = append(out, m.Field+": "+m.Message)
	}
	return strings.Join(out, "; ")
}

// known returns why a server is already there, or "". A project's server may have the name
// of a server of the user, because it replaces that in the project.
func (p *planner) known(s *Server, shape string, identities ...string) (kind LeftKind, why string) {
	for _, other := range p.seen {
		same := slices.Contains(identities, other.identity) && (other.name == s.Name || other.project == s.File.Project)
		switch named := other.name == s.Name && other.project == s.File.Project; {
		case same && other.shape == "":
			kind, why = LeftDuplicate, fmt.Sprintf("the same server is in %s, as %s", other.where, other.name)
		case same, named && other.shape == shape:
			kind, why = LeftConfigured, fmt.Sprintf("the same server is in %s, as %s", other.where, other.name)
		case named:
			kind, why = LeftConflict, fmt.Sprintf("%s has another server of this name; to take this one, rename one of them", other.where)
		}
		if kind != "" {
			return kind, why
		}
	}
	return "", ""
}

// done inserts the servers into the texts of the files, and returns the plan.
func (p *planner) done() (*Import, error) {
	for _, t := range []*target{p.user, p.own} {
		if t == nil || len(t.added) == 0 {
			continue
		}
		for _, s := range t.added {
			if err := t.change.put(s.definition(), "mcpServers", s.Name); err != nil {
				return nil, err
			}
		}
		if _, wrong := config.Check(t.change.File.Path, t.change.after); wrong != nil {
			return nil, wrong
		}
		p.plan.Changes = append(p.plan.Changes, t.change)
	}
	p.plan.Variables = append(p.secretValues.variables, p.unset()...)
	p.plan.Secrets, p.plan.Keepable = p.secretValues.secrets, p.secretValues.keepable
	return &p.plan, nil
}

// put inserts a value into the text of a change.
func (c *Change) put(value any, keys ...string) error {
	before := c.written(keys...)
	text, err := set(c.after, value, keys...)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File.Path, err)
	}
	c.after = text
	c.members = append(c.members, added{Keys: keys, Value: plainValue(value), Was: before != nil, Before: before})
	return nil
}

// unset returns the variables that the servers refer to without a default and that are not
// set.
func (p *planner) unset() []Variable {
	var out []Variable
	known := map[string]bool{}
	for _, v := range p.secretValues.variables {
		known[v.Name] = true
	}
	for _, t := range []*target{p.user, p.own} {
		if t == nil {
			continue
		}
		for _, s := range t.added {
			text, _ := json.Marshal(s.fields) // it was JSON
			for _, name := range config.Variables(string(text)) {
				if _, set := p.places.Lookup(name); set || known[name] {
					continue
				}
				known[name] = true
				why := p.needed[name]
				if why == "" && s.Client != nil {
					why = s.Client.Title + " takes it from its environment"
				}
				out = append(out, Variable{name, s.Name, why})
			}
		}
	}
	return out
}

// Add returns the plan of adding one server to a file. It writes nothing.
func Add(places Places, f File, name string, definition map[string]any) (*Import, error) {
	t, err := openTarget(f)
	if err != nil {
		return nil, err
	}
	if _, taken := t.servers[name]; taken {
		return nil, &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s has a server %s already; choose another name", f.Path, name)}
	}
	s := &Server{Name: name, File: f, fields: object(copied(definition))}
	t.added = []*Server{s}
	p := &planner{places: places, secretValues: secretValues{places: places, values: map[string]string{}}, user: t}
	p.secretValues.hide(s)
	for i := range p.secretValues.variables {
		p.secretValues.variables[i].Why = "a secret is not written into a file"
	}
	p.plan.Taken = []Taken{{Name: name, To: f.Path}}
	return p.done()
}

// Configured returns the names of the servers in a file of toolscript.
func Configured(f File) ([]string, error) {
	t, err := openTarget(f)
	if err != nil {
		return nil, err
	}
	return sortedKeys(t.servers), nil
}
