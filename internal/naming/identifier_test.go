package naming_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolscript/toolscript/internal/naming"
)

// TestIdentifier is the table of identifiers of the requirements GEN-1 to GEN-5.
func TestIdentifier(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"GEN-1 snake", "create_issue", "createIssue"},
		{"GEN-1 kebab", "create-issue", "createIssue"},
		{"GEN-1 run of separators", "create__issue", "createIssue"},
		{"GEN-1 three words", "get-user-profile", "getUserProfile"},
		{"GEN-1 server", "my-api-server", "myApiServer"},
		{"GEN-1 leading digit", "123test", "_123test"},
		{"GEN-1 camelCase stays", "createIssue", "createIssue"},
		{"GEN-1 long camelCase stays", "githubSearchCode", "githubSearchCode"},
		{"GEN-1 capitals", "API_KEY", "apiKey"},
		{"GEN-1 capitals first", "API-get-user", "apiGetUser"},
		{"GEN-1 other characters separate", "a.b", "aB"},
		{"GEN-2 inner capitals stay", "getHTTPUrl", "getHTTPUrl"},
		{"GEN-2 leading run of capitals", "API_key", "apiKey"},
		{"GEN-2 its last before a small letter", "APIKey", "apiKey"},
		{"GEN-2 PascalCase", "CreateIssue", "createIssue"},
		{"GEN-2 digit after a word", "get_2fa", "get2fa"},
		{"GEN-4 other scripts", "日本", "日本"},
		{"GEN-4 marks", "हिन्दी_x", "हिन्दीX"},
		{"GEN-4 nothing left", "---", "t"},
		{"GEN-4 empty", "", "t"},
		{"GEN-5 awaitable", "then", "then_"},
		{"GEN-5 constructor", "constructor", "constructor_"},
		{"GEN-5 prototype", "prototype", "prototype_"},
		{"GEN-5 __proto__", "__proto__", "proto"},
		{"GEN-5 JSON.stringify calls it", "to_JSON", "toJson"},
		{"GEN-5 toJSON", "toJSON", "toJSON_"},
		{"GEN-5 keywords stay", "export", "export"},
		{"leading dollar is ours", "$batch", "_$batch"},
		{"inner dollar stays", "a$b", "a$b"},
		{"invisible characters", "a\u200bb\u2060c\ufe0fd", "aBCD"},
		{"fillers that look empty", "a\u3164b", "aB"},
		{"broken UTF-8", "a\xffb", "aB"},
		{"an emoji separates", "a🚀b", "aB"},
	}
	for _, tt := range tests {
		if got := naming.Identifier(tt.raw); got != tt.want {
			t.Errorf("%s: Identifier(%q) = %q, want %q", tt.name, tt.raw, got, tt.want)
		}
	}
}

// shape matches every result of Identifier.
var shape = regexp.MustCompile(`^_?[\p{L}\p{Nd}\p{Mn}\p{Mc}$]+_?$`)

func FuzzIdentifier(f *testing.F) {
	for _, seed := range []string{"create_issue", "API_KEY", "日本", "then", "$a", "1", "", "__proto__", "a\u0300", "ǅ_ß", "if"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		ident := naming.Identifier(raw)
		if !shape.MatchString(ident) || strings.HasPrefix(ident, "$") {
			t.Fatalf("Identifier(%q) = %q, want letters and digits", raw, ident)
		}
		code := "const x = { " + ident + ": 1 }; x." + ident + ";" // reserved words are legal property names
		if r := api.Transform(code, api.TransformOptions{Loader: api.LoaderTS}); len(r.Errors) > 0 {
			t.Fatalf("%s does not parse: %v", code, r.Errors)
		}
	})
}
