package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/api"
)

const described = "../../docs/openapi.yaml"

// description reads the OpenAPI description of the gateway.
func description(t *testing.T) *v3.Document {
	t.Helper()
	text, err := os.ReadFile(described)
	if err != nil {
		t.Fatal(err)
	}
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	return &model.Model
}

// TestOpenAPIDocument validates the description against the JSON Schema of OpenAPI 3.1.
func TestOpenAPIDocument(t *testing.T) {
	text, err := os.ReadFile(described)
	if err != nil {
		t.Fatal(err)
	}
	var document, schema any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if schema, err = jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData)); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", schema); err != nil {
		t.Fatal(err)
	}
	valid, err := compiler.Compile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := valid.Validate(document); err != nil {
		t.Errorf("%s: %v", described, err)
	}
}

// TestOpenAPIRoutes compares the description with the routes, in both directions.
func TestOpenAPIRoutes(t *testing.T) {
	got := map[string]api.Route{}
	for path, item := range description(t).Paths.PathItems.FromOldest() {
		for method, o := range item.GetOperations().FromOldest() {
			name := strings.ToUpper(method) + " " + path
			var r api.Route
			if x, ok := o.Extensions.Get("x-capability"); ok {
				r.Capability = x.Value
			}
			if o.RequestBody != nil {
				_, r.Bytes = o.RequestBody.Content.Get("application/octet-stream")
			}
			var inPath []string
			for _, p := range o.Parameters {
				switch p.In {
				case "query":
					r.Query = append(r.Query, p.Name)
				case "path":
					inPath = append(inPath, "{"+p.Name+"}")
				}
			}
			for part := range strings.SplitSeq(path, "/") {
				if strings.HasPrefix(part, "{") && !slices.Contains(inPath, part) {
					t.Errorf("%s does not describe the parameter %s", name, part)
				}
			}
			got[name] = r
		}
	}
	want := api.Routes()
	for _, routes := range []map[string]api.Route{want, got} {
		for _, r := range routes {
			slices.Sort(r.Query)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes: -gateway +%s\n%s", described, diff)
	}
}

// types maps the names of described schemas to Go types.
var types = map[string]any{
	"ActorEntry": toolscript.ActorEntry{}, "Attention": toolscript.Attention{}, "CallEntry": toolscript.CallEntry{},
	"GatewayInfo": toolscript.GatewayInfo{}, "Gone": toolscript.Gone{}, "IndexEntry": toolscript.IndexEntry{}, "LogLine": toolscript.LogLine{}, "MCPClient": toolscript.MCPClient{}, "SessionEntry": toolscript.SessionEntry{},
	"Notice": toolscript.Notice{}, "Hour": toolscript.Hour{}, "RunEntry": toolscript.RunEntry{}, "RunUse": toolscript.RunUse{}, "ServerEntry": toolscript.ServerEntry{},
	"Snapshot": toolscript.Snapshot{}, "TypesStats": toolscript.TypesStats{},
	"ActorStatus": toolscript.ActorStatus{}, "AuditStats": toolscript.AuditStats{}, "Annotations": toolscript.Annotations{}, "Answer": toolscript.Answer{},
	"Approval": toolscript.Approval{}, "ApprovalAnswer": toolscript.ApprovalAnswer{}, "Confirmation": api.Confirmation{}, "PinAcceptance": api.PinAcceptance{}, "PinChange": toolscript.PinChange{}, "RateLimit": toolscript.RateLimit{}, "ReloadPlan": toolscript.ReloadPlan{}, "ServerChange": toolscript.ServerChange{}, "SettingChange": toolscript.SettingChange{}, "PlannedFile": toolscript.PlannedFile{}, "Suspicion": toolscript.Suspicion{}, "Overridden": toolscript.Overridden{}, "Original": toolscript.Original{}, "UI": toolscript.UI{},
	"AuthStart": api.AuthStart{}, "CallRecord": toolscript.CallRecord{}, "Confinement": toolscript.Confinement{},
	"DetachedCall": toolscript.DetachedCall{}, "Detail": toolscript.Detail{}, "Diagnostic": toolscript.Diagnostic{},
	"EngineStatus": toolscript.EngineStatus{}, "ErrorBody": api.ErrorBody{}, "Event": toolscript.Event{},
	"ExecRequest": toolscript.ExecRequest{}, "FailedServer": api.FailedServer{}, "HarnessRequest": toolscript.HarnessRequest{}, "Health": api.Health{},
	"Kept": toolscript.Kept{}, "LinkRequest": api.LinkRequest{}, "LinkShown": api.LinkShown{}, "PageCode": api.PageCode{}, "PageProof": api.PageProof{},
	"Limits": toolscript.Limits{}, "MadeCalls": toolscript.MadeCalls{}, "Metrics": toolscript.Metrics{}, "Missing": toolscript.Missing{},
	"PlannedCall": toolscript.PlannedCall{}, "ScriptModule": toolscript.ScriptModule{}, "ScriptFacts": toolscript.ScriptFacts{}, "ToolError": toolscript.ToolError{},
	"MissingServer": toolscript.MissingServer{}, "Question": toolscript.Question{}, "Readiness": api.Readiness{},
	"Reload": toolscript.Reload{}, "ReloadRequest": api.ReloadRequest{}, "ReloadVariables": api.ReloadVariables{},
	"RunError": toolscript.RunError{}, "RunRecord": toolscript.RunRecord{}, "ScoreBreakdown": toolscript.ScoreBreakdown{},
	"SearchAnswer": toolscript.SearchAnswer{}, "SearchHit": toolscript.SearchHit{}, "SkillHit": toolscript.SkillHit{}, "SearchStats": toolscript.SearchStats{},
	"SearchStatus": toolscript.SearchStatus{}, "ServerStatus": toolscript.ServerStatus{}, "Status": toolscript.Status{},
	"StdinPiece": toolscript.StdinPiece{}, "Subject": toolscript.Subject{}, "ToolDescription": toolscript.ToolDescription{},
	"ToolInfo": api.ToolInfo{}, "Tools": api.Tools{}, "Types": api.Types{}, "UnfinishedCall": toolscript.UnfinishedCall{}, "UnknownEntry": naming.UnknownEntry{},
}

// TestOpenAPISchemas compares the described schemas with the Go types: the names of
// members, their types, and which of them are always present.
func TestOpenAPISchemas(t *testing.T) {
	schemas := description(t).Components.Schemas
	for name, value := range types {
		proxy, ok := schemas.Get(name)
		if !ok {
			t.Errorf("%s has no schema %s", described, name)
			continue
		}
		got := map[string]string{}
		schema := proxy.Schema()
		for member, p := range schema.Properties.FromOldest() {
			got[member] = shape(p, slices.Contains(schema.Required, member))
		}
		want := map[string]string{}
		members(reflect.TypeOf(value), requests[name], want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("schema %s: -Go type +%s\n%s", name, described, diff)
		}
	}
	enums := constants(t)
	for name, proxy := range schemas.FromOldest() {
		schema := proxy.Schema()
		if _, ok := types[name]; ok || name == "Page" || name == "Entries" { // the schemas of MCP, see toolscript.Page
			continue
		}
		var got []string
		for _, value := range schema.Enum {
			if value.Value != "" {
				got = append(got, value.Value)
			}
		}
		if diff := cmp.Diff(enums[name], got); diff != "" {
			t.Errorf("values of %s: -Go constants +%s\n%s", name, described, diff)
		}
	}
}

// requests maps the schemas of request bodies to the members that the gateway requires.
var requests = map[string][]string{
	"ExecRequest": {"code"}, "Limits": {}, "Answer": {"askId", "action"}, "ApprovalAnswer": {"action"}, "StdinPiece": {}, "ReloadRequest": {},
}

// members adds the JSON members of a struct to into. required lists those that are always
// present; nil means all without omitempty.
func members(of reflect.Type, required []string, into map[string]string) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && f.Type.Kind() == reflect.Pointer: // an embedded pointer: all its members may be absent
			members(f.Type.Elem(), []string{}, into)
		case f.Anonymous:
			members(f.Type, required, into)
		case required != nil:
			into[name] = optional(typeName(f.Type), slices.Contains(required, name))
		default:
			into[name] = optional(typeName(f.Type), !strings.Contains(options, "omit"))
		}
	}
}

func optional(name string, required bool) string {
	if required {
		return name
	}
	return name + "?"
}

// typeName returns the name that shape gives to the schema of a Go type.
func typeName(of reflect.Type) string {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "date-time"
	case of == reflect.TypeFor[json.RawMessage](), of.Kind() == reflect.Interface:
		return "any"
	case of == reflect.TypeFor[[]byte]():
		return "base64"
	}
	switch of.Kind() {
	case reflect.Pointer:
		return typeName(of.Elem())
	case reflect.Slice:
		return "[]" + typeName(of.Elem())
	case reflect.Map:
		return "map of " + typeName(of.Elem())
	case reflect.Struct:
		for name, value := range types {
			if reflect.TypeOf(value) == of {
				return name
			}
		}
		return of.String() + ", which is not in the table of types"
	case reflect.String:
		if of.PkgPath() != "" {
			return of.Name()
		}
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	default:
		return "integer"
	}
}

// shape returns the name of a schema, with a question mark if it is optional.
func shape(p *base.SchemaProxy, required bool) string { return optional(schemaName(p), required) }

func schemaName(p *base.SchemaProxy) string {
	if p.IsReference() {
		return filepath.Base(p.GetReference())
	}
	s := p.Schema()
	if len(s.Type) == 0 {
		return "any"
	}
	switch kind := s.Type[0]; {
	case kind == "array":
		return "[]" + schemaName(s.Items.A)
	case kind == "object":
		return "map of " + schemaName(s.AdditionalProperties.A)
	case s.Format != "":
		return s.Format
	case s.ContentEncoding != "":
		return s.ContentEncoding
	default:
		return kind
	}
}

// constants returns the values of the string constants of the root package, by their type.
func constants(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.Ident)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Error(err)
				}
				found[of.Name] = append(found[of.Name], text)
			}
			return true
		})
	}
	return found
}
