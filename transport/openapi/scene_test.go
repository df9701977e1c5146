package openapi_test

import (
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

// scene is an API that records its requests, and a connection to it through its document.
type scene struct {
	*testing.T
	api  *httptest.Server
	conn *upstream.Conn

	mu       sync.Mutex
	requests []string // method, address, headers of interest and body
}

// document returns an OpenAPI document with these paths.
func document(version, paths string, more ...string) string {
	return `{"openapi": "` + version + `", "info": {"title": "T", "version": "1"}, "paths": ` + strings.Join(append([]string{paths}, more...), ", ") + `}`
}

func newScene(t *testing.T, text string, answer http.HandlerFunc, more ...func(*openapi.Settings)) *scene {
	t.Helper()
	s := &scene{T: t}
	s.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := []string{r.Method, r.URL.RequestURI()}
		for _, name := range []string{"Authorization", "X-Key", "X-List", "Cookie", "Content-Type"} {
			if value := r.Header.Get(name); value != "" {
				line = append(line, name+": "+value)
			}
		}
		s.mu.Lock()
		s.requests = append(s.requests, strings.TrimSpace(strings.Join(append(line, string(body)), " ")))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.api.Close)
	settings := openapi.Settings{Spec: answers.File(t, "openapi.json", text), BaseURL: s.api.URL + "/v1"}
	for _, change := range more {
		change(&settings)
	}
	conn, err := dial(t, settings)
	if err != nil {
		t.Fatal(err)
	}
	s.conn = conn
	return s
}

func dial(t *testing.T, s openapi.Settings) (*upstream.Conn, error) {
	t.Helper()
	return answers.Open(t, openapi.Dialer{}.Dial, s, upstream.Config{}, upstream.Events{})
}

// call calls a tool and returns its result, or its error as text.
func (s *scene) call(tool, args string) string {
	s.Helper()
	result, err := s.try(tool, args)
	if err != nil {
		return err.Error()
	}
	return result
}

func (s *scene) try(tool, args string) (string, error) {
	s.Helper()
	return answers.Of(s.T, s.conn, tool, args)
}

func (s *scene) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return ""
	}
	return s.requests[len(s.requests)-1]
}

func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"ok":true}`)
}

func (s *scene) tool(name string) toolscript.Tool {
	s.Helper()
	tools, err := s.conn.ListTools(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	for _, t := range tools {
		if t.Name == name {
			return t
		}
	}
	s.Fatalf("there is no tool %s in %d", name, len(tools))
	return toolscript.Tool{}
}
