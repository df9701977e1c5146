package upstream_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/commands"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// How a field of a server contributes to its identity.
const (
	defines  = "defines"  // part of the definition, including the value of a variable in it
	receives = "receives" // the server receives it: counts as written, because the values of variables are renewed
	secret1  = "secret"   // counts only by its presence
	limits   = "limits"   // limits calls or selects tools: does not count
	perTool  = "per tool" // compared for each tool
	records  = "records"  // says where the server is configured or why it does not start: does not count
)

// fieldClasses classifies every field of every type of server.
var fieldClasses = map[string]string{
	"Type": defines, "Disabled": limits,
	"Command": defines, "Args": defines, "Env": receives, "InheritEnv": defines, "InheritNames": defines, "Dir": defines,
	"Confine.Read": defines, "Confine.Write": defines, "Confine.Net": defines,
	"Confine.Free": records, "Confine.Watched": records, // set by confine suggest, not by a file
	"Trial.Read": records, "Trial.Write": records, "Trial.Net": records, "Trial.Free": records, "Trial.Watched": records,
	"Environ": defines, "URL": defines, "Headers": receives, "Account": defines,
	"OAuth.Grant": defines, "OAuth.ClientID": defines, "OAuth.ClientSecret": secret1, "OAuth.PrivateKey": secret1, "OAuth.Assertion": secret1, "OAuth.IDPClientSecret": secret1,
	"OAuth.AssertionFile": defines, "OAuth.IDPTokenEndpoint": defines, "OAuth.IDPClientID": defines, "OAuth.SigningAlgorithm": defines,
	"OAuth.ClientMetadataURL": defines, "OAuth.Issuer": defines, "OAuth.Scope": defines, "OAuth.CallbackPort": defines, "OAuth.Storage": defines,
	"Root": defines, "Project.Dir": defines, "Project.Named": defines, "Tools": perTool,
	"Settings.Exec.Network": defines, "Settings.Exec.Writable": defines, "Settings.Web.AllowHosts": defines,
	"Settings.Web.Search.Provider": defines, "Settings.Web.Search.URL": defines, "Settings.Web.Search.Key": receives,
	"Settings.Agents.Provider": defines, "Settings.Agents.Models": defines, "Settings.Agents.MaxTokens": defines,
	"Settings.Agents.Depth": defines, "Settings.Agents.Turns": defines, "Settings.Agents.Calls": defines,
	"Shared": defines, "Stateless": defines, "Scripts": defines, "Protocol": defines,
	"IncludeTools": limits, "ExcludeTools": limits, "Overrides": perTool,
	"Timeout": limits, "StartupTimeout": limits, "Idle": limits, "Concurrency": limits,
	"RateLimit.Calls": limits, "RateLimit.Per": limits, "RateLimit.Burst": limits,
	"Source": records, "Written": records, "Accounts": records, "Secrets": records, "Problem": records,

	"openapi.spec": defines, "openapi.baseUrl": defines, "openapi.operations": limits,
	"openapi.auth.type": receives, "openapi.auth.token": receives, "openapi.auth.name": receives, "openapi.auth.value": receives,
	"openapi.auth.username": receives, "openapi.auth.password": receives,
	"graphql.url": defines, "graphql.spec": defines, "graphql.operations": limits,
	"graphql.auth.type": receives, "graphql.auth.token": receives, "graphql.auth.name": receives, "graphql.auth.value": receives,
	"graphql.auth.username": receives, "graphql.auth.password": receives,

	"commands.description": perTool, "commands.run": defines, "commands.parameters": defines, "commands.output": defines,
	"commands.result": defines, "commands.readOnly": defines, "commands.exitCodes": defines, "commands.timeout": limits,
	"commands.stdin": defines,
}

// fieldSetters returns, for each field of each type of server, a function that sets the field to a
// value made from a text.
func fieldSetters() map[string]func(c *upstream.Config, text string) {
	all := map[string]func(*upstream.Config, string){}
	walkFields(reflect.TypeFor[upstream.Config](), "", func(path string, index [][]int) {
		if path == "Commands" || path == "API" {
			return // the fields in their JSON are added below
		}
		all[path] = func(c *upstream.Config, text string) { setField(reflect.ValueOf(c).Elem(), index, text) }
	})
	ofJSON := func(prefix string, settings any) {
		walkFields(reflect.TypeOf(settings), "", func(_ string, index [][]int) {
			all[prefix+jsonPath(reflect.TypeOf(settings), index)] = func(c *upstream.Config, text string) {
				v := reflect.New(reflect.TypeOf(settings)).Elem()
				setField(v, index, text)
				c.API, _ = json.Marshal(v.Interface())
			}
		})
	}
	ofJSON("openapi.", openapi.Settings{})
	ofJSON("graphql.", graphql.Settings{})
	for field := range reflect.TypeFor[commands.Definition]().Fields() {
		key, is := field.Tag.Lookup("json")
		if !is {
			continue
		}
		all["commands."+key] = func(c *upstream.Config, text string) {
			c.Commands, _ = json.Marshal(map[string]any{"tool": map[string]any{key: []string{text}}})
		}
	}
	return all
}

// walkFields visits the leaves of a struct, with the indexes of the fields on the path.
func walkFields(of reflect.Type, path string, visit func(path string, index [][]int), at ...[]int) {
	for i := range of.NumField() {
		field := of.Field(i)
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		name := strings.TrimPrefix(path+"."+field.Name, ".")
		index := append(slices.Clone(at), []int{i})
		if inner.Kind() == reflect.Struct {
			walkFields(inner, name, visit, index...)
			continue
		}
		visit(name, index)
	}
}

func jsonPath(of reflect.Type, index [][]int) string {
	var names []string
	for _, i := range index {
		field := of.FieldByIndex(i)
		names = append(names, field.Tag.Get("json"))
		of = field.Type
	}
	return strings.Join(names, ".")
}

func setField(v reflect.Value, index [][]int, text string) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.FieldByIndex(i)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf([]string{text}).Convert(v.Type()))
			return
		}
		v.Set(secret(v.Type()))
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf(map[string]string{"NAME": text}))
			return
		}
		v.Set(secret(v.Type()))
	default:
		v.Set(secret(v.Type()))
	}
}

// TestIdentityOfEveryField: each field of a server is part of its identity, or not, as fieldClasses
// says. A new field must be classified there.
func TestIdentityOfEveryField(t *testing.T) {
	setters := fieldSetters()
	for _, path := range slices.Sorted(maps.Keys(setters)) {
		class, known := fieldClasses[path]
		if !known {
			t.Errorf("%s is a new field: decide in fieldClasses whether a server with another value is another server", path)
			continue
		}
		set := setters[path]
		with := func(text string, variables map[string]string) string {
			var c upstream.Config
			if strings.HasPrefix(path, "Confine.") {
				c.Confine = &upstream.Confine{}
			}
			if strings.HasPrefix(path, "commands.") {
				c.Commands = json.RawMessage(`{"tool": {}}`)
			}
			if text != "" {
				set(&c, text)
			}
			if path != "Secrets" {
				c.Secrets = variables
			}
			return c.Identity()
		}
		counts := class == defines || class == receives || class == secret1
		if changed := with("some value", nil) != with("", nil); changed != counts {
			t.Errorf("%s %s: with a value, the identity is another: %t, want %t", path, class, changed, counts)
		}
		one, two := with("some value", map[string]string{"${V}": "some value"}), with("another one", map[string]string{"${V}": "another one"})
		plain := with("some value", nil) == with("another one", nil) // a number or a list of objects, which does not depend on the text
		if renewed := one == two; !plain && renewed != (class != defines) {
			t.Errorf("%s %s: with another value of its variable, the identity is the same: %t, want %t", path, class, renewed, class != defines)
		}
	}
	for path := range fieldClasses {
		if setters[path] == nil {
			t.Errorf("%s is classified and does not exist", path)
		}
	}
}

// TestIdentityKeepsNoSecrets: renewing a stored secret, even in an address, does not change the
// identity, and texts for a person contain no secret.
func TestIdentityKeepsNoSecrets(t *testing.T) {
	of := func(key string) upstream.Config {
		return upstream.Config{
			Type: upstream.HTTP, URL: "https://example.com/mcp?key=" + key, Headers: map[string]string{"Authorization": "Bearer " + key},
			OAuth: oauth.Config{ClientID: "c", ClientSecret: oauth.Secret(key)}, Secrets: map[string]string{"${secret:KEY}": key},
		}
	}
	one, two := of("4b2f6a1c9d"), of("77e0c1a5bb")
	if one.Identity() != two.Identity() {
		t.Errorf("a renewed secret is another server:\n%s\n%s", one.Identity(), two.Identity())
	}
	if text := one.Definition(); strings.Contains(text, "4b2f6a1c9d") || !strings.Contains(text, "https://example.com/mcp") || !strings.Contains(text, "OAuth.ClientID: c") {
		t.Errorf("definition:\n%s", text)
	}
	elsewhere := of("4b2f6a1c9d")
	elsewhere.URL = strings.Replace(elsewhere.URL, "example.com", "evil.example", 1)
	if one.Identity() == elsewhere.Identity() {
		t.Error("another host is the same server")
	}
}

// TestIdentityOfEmptyValues: an empty restriction and an empty variable are values, too.
func TestIdentityOfEmptyValues(t *testing.T) {
	none := upstream.Config{Type: upstream.Stdio, Command: "a"}
	for name, c := range map[string]upstream.Config{
		"an empty confine":     {Type: upstream.Stdio, Command: "a", Confine: &upstream.Confine{}},
		"an empty variable":    {Type: upstream.Stdio, Command: "a", Env: map[string]string{"SAFE": ""}},
		"an argument moved":    {Type: upstream.Stdio, Command: "a "},
		"an empty argument":    {Type: upstream.Stdio, Command: "a", Args: []string{""}},
		"an empty header":      {Type: upstream.Stdio, Command: "a", Headers: map[string]string{"X": ""}},
		"a default of a flag":  {Type: upstream.Stdio, Command: "a", Commands: json.RawMessage(`{"t":{"run":["x"],"parameters":{"p":{"type":"boolean","default":false}}}}`)},
		"a timeout of another": {Type: upstream.Stdio, Command: "a", Env: map[string]string{"timeout": "1"}},
	} {
		if c.Identity() == none.Identity() {
			t.Errorf("%s: the same identity %s", name, c.Identity())
		}
	}
	without := upstream.Config{Type: upstream.Command, Commands: json.RawMessage(`{"t":{"run":["x"],"parameters":{"p":{"type":"boolean"}}}}`)}
	with := without
	with.Commands = json.RawMessage(`{"t":{"run":["x"],"parameters":{"p":{"type":"boolean","default":false}}}}`)
	if with.Identity() == without.Identity() {
		t.Error("a default of false is no default")
	}
}
