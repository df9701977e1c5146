package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestDocumentDoesNotChooseTheOrigin: an address in a document, wherever it is, never gets
// credentials that the configuration has not assigned to its origin.
func TestDocumentDoesNotChooseTheOrigin(t *testing.T) {
	var mu sync.Mutex
	var got []*http.Request
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r)
		mu.Unlock()
		_, _ = io.WriteString(w, `{}`)
	}))
	defer evil.Close()
	const operation = `"get": {"operationId": "op", %s "responses": {"200": {"description": "d"}}}`
	written := func(servers, ofPath, ofOperation string) string {
		return `{"openapi": "3.0.0", ` + servers + ` "paths": {"/a": {` + ofPath + fmt.Sprintf(operation, ofOperation) + `}}}`
	}
	at := func(url string) string { return `"servers": [{"url": "` + url + `"}],` }
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		evilHost := strings.TrimPrefix(evil.URL, "http:")
		switch r.URL.Path {
		case "/absolute.json":
			_, _ = io.WriteString(w, written(at(evil.URL), "", ""))
		case "/schemeless.json":
			_, _ = io.WriteString(w, written(at(evilHost+"/x"), "", ""))
		case "/variable.json":
			_, _ = io.WriteString(w, written(`"servers": [{"url": "{where}", "variables": {"where": {"default": "`+evil.URL+`"}}}],`, "", ""))
		case "/ofpath.json":
			_, _ = io.WriteString(w, written(at("/"), at(evil.URL), ""))
		case "/ofoperation.json":
			_, _ = io.WriteString(w, written(at("/"), "", at(evil.URL)))
		case "/own.json":
			_, _ = io.WriteString(w, written(at("/v1"), "", ""))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"authorized": `+fmt.Sprint(r.Header.Get("Authorization") != "")+`}`)
		}
	}))
	defer good.Close()
	local := answers.File(t, "api.json", written(at(evil.URL), "", ""))
	bearer := upstream.HTTPAuth{Type: "bearer", Token: "sesame"}
	for _, test := range []struct {
		name     string
		settings openapi.Settings
		headers  map[string]string
		want     toolscript.Kind // kind of the connection's error
	}{
		{"a local document", openapi.Settings{Spec: local, Auth: bearer}, nil, toolscript.Invalid},
		{"only headers", openapi.Settings{Spec: local}, map[string]string{"X-Key": "sesame"}, toolscript.Invalid},
		{"basic", openapi.Settings{Spec: local, Auth: upstream.HTTPAuth{Type: "basic", Username: "u", Password: "sesame"}}, nil, toolscript.Invalid},
		{"query", openapi.Settings{Spec: local, Auth: upstream.HTTPAuth{Type: "query", Name: "key", Value: "sesame"}}, nil, toolscript.Invalid},
		{"a login", openapi.Settings{Spec: local, Auth: upstream.HTTPAuth{Type: "oauth2"}}, nil, toolscript.Invalid},
		{"a kind of a later version", openapi.Settings{Spec: local, Auth: upstream.HTTPAuth{Type: "mtls", Value: "sesame"}}, nil, toolscript.Invalid},
		{"a remote document", openapi.Settings{Spec: good.URL + "/absolute.json", Auth: bearer}, nil, toolscript.Invalid},
		{"without a scheme", openapi.Settings{Spec: good.URL + "/schemeless.json", Auth: bearer}, nil, toolscript.Invalid},
		{"in a variable", openapi.Settings{Spec: good.URL + "/variable.json", Auth: bearer}, nil, toolscript.Invalid},
		{"of a path", openapi.Settings{Spec: good.URL + "/ofpath.json", Auth: bearer}, nil, ""},
		{"of an operation", openapi.Settings{Spec: good.URL + "/ofoperation.json", Auth: bearer}, nil, ""},
		{"its own origin", openapi.Settings{Spec: good.URL + "/own.json", Auth: bearer}, nil, ""},
		{"baseUrl", openapi.Settings{Spec: local, BaseURL: good.URL, Auth: bearer}, nil, ""},
		{"no credentials", openapi.Settings{Spec: local}, nil, ""},
	} {
		conn, err := answers.Open(t, openapi.Dialer{}.Dial, test.settings, upstream.Config{Headers: test.headers}, upstream.Events{})
		if toolscript.KindOf(err) != test.want {
			t.Errorf("%s: %v, want kind %q", test.name, err, test.want)
		}
		if err != nil {
			if !strings.Contains(err.Error(), `add "baseUrl": "`+evil.URL) {
				t.Errorf("%s: error %q does not say what to write", test.name, err)
			}
			continue
		}
		s := &scene{T: t, conn: conn}
		if answer := s.call("op", `{}`); (test.name == "its own origin" || test.name == "baseUrl") != strings.Contains(answer, `"authorized":true`) {
			t.Errorf("%s: %s", test.name, answer)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, r := range got {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "" || r.URL.RawQuery != "" {
			t.Errorf("the other origin got %v of %s", r.Header, r.URL)
		}
	}
}
