package openapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

const anyArray = `"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "array"}}}}}`

// page calls a tool for the page at a place, and returns the place of that page and of the next one.
func (s *scene) page(tool, args, at string) (place toolscript.PagePlace, err error) {
	s.Helper()
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(args), &given); err != nil {
		s.Fatal(err)
	}
	given[toolscript.PageKey], _ = json.Marshal(at)
	text, err := json.Marshal(given)
	if err != nil {
		s.Fatal(err)
	}
	result, err := s.try(tool, string(text))
	if err != nil {
		return place, err
	}
	var r struct {
		Meta    map[string]toolscript.PagePlace `json:"_meta"`
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		s.Fatal(err)
	}
	if r.IsError {
		return place, fmt.Errorf("%s", r.Content[0].Text)
	}
	return r.Meta[toolscript.PageKey], nil
}

// TestPaged checks which operations have pages.
func TestPaged(t *testing.T) {
	const (
		array  = `{"200": {"content": {"application/json": {"schema": {"type": "array"}}}}}`
		listed = `{"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/List"}}}}}`
		object = `{"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}`
		linked = `{"200": {"headers": {"link": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"type": "object"}}}}}`
	)
	op := func(more, responses string) string {
		return `{"operationId": "op", ` + more + `"responses": ` + responses + `}`
	}
	for item, want := range map[string]bool{
		`"get": ` + op("", array):   true,
		`"get": ` + op("", listed):  true,
		`"get": ` + op("", linked):  true,
		`"get": ` + op("", object):  false,
		`"get": ` + op("", `{}`):    false,
		`"post": ` + op("", array):  false,
		`"head": ` + op("", linked): false,
		`"get": ` + op(`"parameters": [{"name": "toolscript/page", "in": "query"}], `, array): false,
	} {
		s := newScene(t, `{"openapi": "3.0.0", "paths": {"/a": {`+item+`}}, "components": {"schemas": {"List": {"type": "array"}}}}`, ok)
		if got := s.tool("op").Pages; got != want {
			t.Errorf("%s: pages %t, want %t", item, got, want)
		}
	}
}

// TestContinuations: only the server knows the address of a page, and a continuation is valid only
// for the call to which it belongs.
func TestContinuations(t *testing.T) {
	paths := `{"/a": {"get": {"operationId": "a", "parameters": [{"name": "q", "in": "query"}, {"name": "X-List", "in": "header"}], ` + anyArray + `}}, "/b": {"get": {"operationId": "b", ` + anyArray + `}}}`
	s := newScene(t, document("3.0.0", paths), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<?page=2&key=s3cret>; rel=next`)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[]`)
	}, func(o *openapi.Settings) { o.Auth = upstream.HTTPAuth{Type: "query", Name: "key", Value: "s3cret"} })
	first, err := s.page("a", `{"q": "x", "X-List": "l"}`, "")
	if err != nil || first.Next == "" || first.Self == "" || first.Self == first.Next {
		t.Fatalf("%+v %v", first, err)
	}
	if again, err := s.page("a", `{"X-List": "l", "q": "x"}`, ""); err != nil || again != first {
		t.Errorf("the place of a page changes: %+v %v", again, err)
	}
	second, err := s.page("a", `{"q": "x", "X-List": "l"}`, first.Next)
	if got, want := s.last(), "GET /v1/a?page=2&key=s3cret X-List: l"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err != nil || second.Self != first.Next || second.Next != first.Next {
		t.Errorf("%+v %v: a page that leads to itself", second, err)
	}
	before := len(s.requests)
	for _, c := range [][3]string{
		{"a", `{"q": "y", "X-List": "l"}`, first.Next}, {"a", `{}`, first.Next}, {"b", `{}`, first.Next}, {"a", `{"q": "x", "X-List": "l"}`, "AAAA"},
		{"a", `{"q": "x", "X-List": "l"}`, "http://127.0.0.1/"}, {"a", `{"q": "x", "X-List": "l"}`, first.Next[:len(first.Next)-4] + "AAAA"},
	} {
		if _, err := s.page(c[0], c[1], c[2]); err == nil || !strings.Contains(err.Error(), "this is not a page of this call") {
			t.Errorf("%v: error %v", c, err)
		}
	}
	if len(s.requests) != before {
		t.Error("a wrong continuation was sent")
	}
	if got := s.call("a", `{"toolscript/page": 1}`); !strings.Contains(got, "must be a string") {
		t.Error(got)
	}
}

// TestLinks checks where the link to the next page may lead.
func TestLinks(t *testing.T) {
	var link string
	s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op", `+anyArray+`}}}`), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "<"+link+">; rel=next")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[]`)
	})
	host := strings.TrimPrefix(s.api.URL, "http://")
	for target, want := range map[string]string{
		"/other?x=1":                        "GET /other?x=1",
		"b":                                 "GET /v1/b",
		"?a=b c":                            "GET /v1/a?a=b%20c",
		"//" + host + "/c":                  "GET /c",
		"http://user:pass@" + host + "/d#f": "GET /d",
		"http://" + strings.ToUpper(host):   "GET /",
		"":                                  "",
		"https://" + host + "/":             "leads to another origin",
		"http://198.51.100.1/":              "leads to another origin, http://198.51.100.1, which is refused",
		"//198.51.100.1/":                   "leads to another origin",
		"javascript:alert(1)":               "leads to another origin",
		"http://[::1/":                      "is no address",
		"/" + strings.Repeat("x", 9000):     "has more than 8 KB",
	} {
		link = target
		first, err := s.page("op", `{}`, "")
		if err == nil && first.Next != "" {
			if _, err = s.page("op", `{}`, first.Next); err == nil {
				if got := s.last(); got != want {
					t.Errorf("%s: got %s, want %s", target, got, want)
				}
				continue
			}
		}
		if want == "" && err == nil && first.Next == "" {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: error %v, want %q", target, err, want)
		}
	}
}

// TestPageAfterRedirect: a link is relative to the address that sent the answer.
func TestPageAfterRedirect(t *testing.T) {
	var elsewhere *httptest.Server
	s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op", `+anyArray+`}}, "/b": {"get": {"operationId": "away", `+anyArray+`}}}`), func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/a":
			http.Redirect(w, r, "/moved/list", http.StatusFound)
		case "/v1/b":
			http.Redirect(w, r, elsewhere.URL+"/list", http.StatusFound)
		default:
			w.Header().Set("Link", "<more>; rel=next")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `[]`)
		}
	})
	elsewhere = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "<more>; rel=next")
		_, _ = io.WriteString(w, `[]`)
	}))
	defer elsewhere.Close()
	first, err := s.page("op", `{}`, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.page("op", `{}`, first.Next); err != nil || s.last() != "GET /moved/more" {
		t.Errorf("%v %s", err, s.last())
	}
	if _, err := s.page("away", `{}`, ""); err == nil || !strings.Contains(err.Error(), "leads to another origin") {
		t.Errorf("error %v", err)
	}
}
