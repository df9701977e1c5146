package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/config"
)

// Server is a server of a client, converted to the form of toolscript's configuration.
type Server struct {
	Name   string
	Client *Client
	File   File
	fields map[string]any
	notes  []string // says which parts of the definition are left out

	refused string // why toolscript cannot have the server; "": it can
	skipped bool   // it is a part of its client, not an MCP server
}

// translation converts a client's definition of a server to the form of toolscript.
type translation struct {
	*Server
	places Places
	asked  map[string]string // descriptions of ${input:NAME} in the file, by name
	needed map[string]string // why a variable is needed, by its name
}

// run converts the definition raw, which it does not change.
func (t *translation) run(raw map[string]any) {
	t.fields = copied(raw).(map[string]any)
	t.Client.translate(t)
	if t.refused == "" && !t.skipped {
		t.common()
		t.loseUnknown()
		t.expandAll()
	}
}

// server converts one of the servers of a file. It adds to needed the variables whose
// values only the client knows; needed may be nil.
func (c *Client) server(places Places, file File, in listing, name string, needed map[string]string) *Server {
	if needed == nil {
		needed = map[string]string{}
	}
	t := translation{Server: &Server{Name: name, Client: c, File: file}, places: places, asked: in.asked, needed: needed}
	raw := object(in.servers[name])
	if raw == nil {
		t.refused = "it is not an object"
		return t.Server
	}
	t.run(raw)
	if c.excluded != nil && c.excluded(places, file, in.root, name) {
		t.fields["disabled"] = true
	}
	return t.Server
}

// read returns the servers in a file of the client.
func (c *Client) read(places Places, file File, needed map[string]string) ([]*Server, error) {
	text, err := read(file)
	if err != nil {
		return nil, err
	}
	in, err := contents(file, text)
	if err != nil {
		return nil, err
	}
	var all []*Server
	for _, name := range in.names {
		if s := c.server(places, file, in, name, needed); !s.skipped {
			all = append(all, s)
		}
	}
	return all, nil
}

// disabled reports whether the server is disabled.
func (s *Server) disabled() bool { return s.fields["disabled"] == true }

// drop removes fields that have no meaning for toolscript.
func (t *translation) drop(fields ...string) {
	for _, field := range fields {
		delete(t.fields, field)
	}
}

// lose removes a field that matters to the server, and notes why.
func (t *translation) lose(field, why string) {
	if value, ok := t.fields[field]; ok {
		delete(t.fields, field)
		t.noteLost(field, value, why)
	}
}

func (t *translation) noteLost(field string, value any, why string) {
	if value != nil && value != false && value != "" && !empty(value) {
		t.notes = append(t.notes, fmt.Sprintf("%s is left out: %s", field, why))
	}
}

// loseApprovals removes the fields that say for which calls a client does not ask.
func (t *translation) loseApprovals(fields ...string) {
	for _, field := range fields {
		t.lose(field, `toolscript asks by the rules of "approvals"`)
	}
}

// words splits a list into a command and its arguments.
func (t *translation) words(field string) {
	if list, ok := t.fields[field].([]any); ok && len(list) > 0 {
		t.fields["command"], t.fields["args"] = list[0], list[1:]
	}
}

// seconds adds the unit to a number of seconds.
func (t *translation) seconds(field string) {
	if number, ok := t.fields[field].(json.Number); ok {
		t.fields[field] = number.String() + "s"
	}
}

// milliseconds moves a number of milliseconds to another field, and adds the unit.
func (t *translation) milliseconds(from, to string) {
	number, ok := t.fields[from].(json.Number)
	t.drop(from)
	if ok {
		t.fields[to] = number.String() + "ms"
	}
}

// rename moves a field, unless the new name is taken.
func (t *translation) rename(from, to string) {
	value, ok := t.fields[from]
	if !ok {
		return
	}
	delete(t.fields, from)
	if _, taken := t.fields[to]; !taken || from == "httpUrl" {
		t.fields[to] = value
	}
}

// set sets a field of an object in the definition.
func (t *translation) set(in, field string, value any) {
	fields := object(t.fields[in])
	if fields == nil {
		fields = map[string]any{}
	}
	fields[field] = value
	t.fields[in] = fields
}

// login translates the object oauth. scopes names its list of scopes, which becomes scope.
// The fields in without are removed, because toolscript asks the server for them.
func (t *translation) login(scopes string, without ...string) {
	login := object(t.fields["oauth"])
	if login == nil {
		return
	}
	if value, ok := login[scopes]; ok {
		delete(login, scopes)
		t.setLogin("scope", joined(value))
	}
	for _, field := range without {
		if value, ok := login[field]; ok && field != "enabled" {
			t.noteLost("oauth."+field, value, "toolscript asks the server, or does not need it")
		}
		delete(login, field)
	}
	if len(login) == 0 {
		t.drop("oauth")
	}
}

func (t *translation) setLogin(field string, value any) {
	if value != nil && value != "" {
		t.set("oauth", field, value)
	}
}

// kinds maps the names that clients have for the types of servers.
var kinds = map[string]string{
	"streamable-http": "http", "streamableHttp": "http", "streamable_http": "http", "remote": "http", "local": "stdio",
}

// common translates the fields that several clients have.
func (t *translation) common() {
	t.rename("transport", "type")
	if kind, ok := t.fields["type"].(string); ok && kinds[kind] != "" {
		t.fields["type"] = kinds[kind]
	}
	if enabled, ok := t.fields["enabled"].(bool); ok {
		t.drop("enabled")
		if !enabled {
			t.fields["disabled"] = true
		}
	}
	t.rename("disabledTools", "excludeTools")
	t.rename("enabledTools", "includeTools")
	for _, field := range []string{"env", "headers"} {
		asTexts(object(t.fields[field]))
	}
	for field, value := range t.fields {
		if value == nil || value == false || empty(value) {
			delete(t.fields, field)
		}
	}
}

// loseUnknown removes the fields that toolscript does not know, and notes them.
func (t *translation) loseUnknown() {
	unknown, _ := config.Unknown(t.alone()) // a server as JSON
	for _, at := range unknown {
		within := t.fields
		for _, name := range at[2 : len(at)-1] {
			within = object(within[name])
		}
		name := at[len(at)-1]
		if value, has := within[name]; has {
			delete(within, name)
			t.noteLost(strings.Join(at[2:], "."), value, "toolscript has no such setting")
		}
	}
}

// alone returns a configuration with only this server.
func (s *Server) alone() []byte {
	return []byte(style{"", ""}.render(ordered{{"mcpServers", ordered{{s.Name, s.definition()}}}}, ""))
}

// asTexts converts the values of an object to texts, as clients do: PORT may be 3000.
func asTexts(fields map[string]any) {
	for name, value := range fields {
		switch value.(type) {
		case nil:
			delete(fields, name)
		case bool, json.Number:
			fields[name] = fmt.Sprint(value)
		}
	}
}

func empty(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// copied returns a deep copy of a value.
func copied(value any) any {
	switch v := value.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = copied(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, field := range v {
			out[name] = copied(field)
		}
		return out
	}
	return value
}

// isToolscript reports whether a server is toolscript itself: the program, or its package
// started by a package runner, with the command mcp.
func (s *Server) isToolscript() bool {
	words := []string{fmt.Sprint(s.fields["command"])}
	list, _ := s.fields["args"].([]any)
	for _, item := range list {
		words = append(words, strings.Fields(fmt.Sprint(item))...) // sh -c has several words in one argument
	}
	for i, word := range words {
		program := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.ToSlash(word))), ".exe")
		program, _, _ = strings.Cut(program, "@")
		if program == "toolscript" && i+1 < len(words) && slices.Contains(words[i+1:], "mcp") {
			return true
		}
	}
	at := strings.TrimPrefix(fmt.Sprint(s.fields["url"]), "http://")
	return s.Name == entryName && (strings.HasPrefix(at, "127.0.0.1:") || strings.HasPrefix(at, "localhost:"))
}

// identity is equal for definitions of the same server, whatever their names and options
// are, and wherever their secrets are kept.
func (s *Server) identity() string {
	same := maps.Clone(s.fields)
	for _, field := range []string{
		"disabled", "timeout", "startupTimeout", "concurrency", "rateLimit", "idle", "includeTools", "excludeTools", "overrides",
		"confine", "shared", "stateless",
	} {
		delete(same, field)
	}
	if kind := same["type"]; kind == "stdio" || kind == "http" && same["url"] != nil {
		delete(same, "type")
	}
	text, _ := json.Marshal(same) // it was JSON
	return strings.ReplaceAll(string(text), "${secret:", "${")
}

// shape is equal for definitions of one server that differ in secrets and variables only.
func (s *Server) shape() string {
	hidden := &Server{Name: s.Name, fields: object(copied(s.fields))}
	none := Places{Lookup: func(string) (string, bool) { return "", false }}
	(&secretValues{places: none, values: map[string]string{}}).hide(hidden)
	return braced().ReplaceAllLiteralString(hidden.identity(), "${}")
}

// fieldOrder is the usual order of the fields of a server.
var fieldOrder = []string{"type", "command", "args", "cwd", "env", "inheritEnv", "url", "headers", "oauth", "protocol",
	"includeTools", "excludeTools", "overrides", "disabled", "concurrency", "timeout", "rateLimit", "idle"}

// definition returns the server as an ordered object.
func (s *Server) definition() ordered {
	var out ordered
	for _, field := range fieldOrder {
		if value, ok := s.fields[field]; ok {
			out = append(out, pair{field, value})
		}
	}
	for _, field := range slices.Sorted(maps.Keys(s.fields)) {
		if !slices.Contains(fieldOrder, field) {
			out = append(out, pair{field, s.fields[field]})
		}
	}
	return out
}
