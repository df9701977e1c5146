package embedding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/embedding"
)

const key = "sk-s3cret"

// endpoint is a server that answers correctly while break is nil.
type endpoint struct {
	*httptest.Server
	requests atomic.Int64
	fail     atomic.Pointer[http.HandlerFunc]

	mu    sync.Mutex
	texts []string
	sizes []int
	auth  string
}

func serve(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) misbehave(h http.HandlerFunc) { e.fail.Store(&h) }

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) {
	e.requests.Add(1)
	if h := e.fail.Load(); h != nil {
		(*h)(w, r)
		return
	}
	var q struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/embeddings" || q.Model == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.texts, e.sizes, e.auth = append(e.texts, q.Input...), append(e.sizes, len(q.Input)), r.Header.Get("Authorization")
	e.mu.Unlock()
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []item
	for i, text := range q.Input {
		data = append(data, item{i, []float64{float64(len(text)), 1, 0}})
	}
	slices.Reverse(data) // clients must use the index
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "usage": map[string]int{"total_tokens": 3}})
}

func open(t *testing.T, e *endpoint, model string) *embedding.Engine {
	t.Helper()
	engine, err := embedding.Open(t.Context(), embedding.RemoteOptions{URL: e.URL + "/v1", Model: model, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine
}

func TestVectorsHaveTheOrderOfTheTexts(t *testing.T) {
	e := serve(t)
	engine := open(t, e, "all-minilm")
	var texts []string
	for i := range 100 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	vectors, err := engine.Embed(t.Context(), texts)
	if err != nil || len(vectors) != 100 || engine.Dim() != 3 {
		t.Fatalf("%d vectors of %d, %v", len(vectors), engine.Dim(), err)
	}
	for i, v := range vectors {
		if want := float64(i + 1); float64(v[0]/v[1])-want > 1e-3 || want-float64(v[0]/v[1]) > 1e-3 || v[0]*v[0]+v[1]*v[1] < 0.999 {
			t.Errorf("text %d has the vector %v", i, v)
		}
	}
	if !slices.Equal(e.sizes, []int{1, 32, 32, 32, 4}) {
		t.Errorf("batches of %v", e.sizes)
	}
	if e.auth != "Bearer "+key {
		t.Errorf("Authorization %q", e.auth)
	}
	if id := engine.ID(); !strings.HasPrefix(id, "remote-all-minilm-3-") || strings.Contains(id, key) {
		t.Errorf("id %s", id)
	}
}

func TestForms(t *testing.T) {
	for model, want := range map[string][2]string{
		"BAAI/bge-small-en-v1.5":         {"Represent this sentence for searching relevant passages: q", "d"},
		"nomic-embed-text":               {"search_query: q", "search_document: d"},
		"intfloat/multilingual-e5-base":  {"query: q", "passage: d"},
		"multilingual-e5-large-instruct": {"q", "d"},
		"text-embedding-3-small":         {"q", "d"},
		"bge-m3":                         {"q", "d"},
	} {
		e := serve(t)
		engine := open(t, e, model)
		if _, err := engine.EmbedQuery(t.Context(), "q"); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Embed(t.Context(), []string{"d"}); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{e.texts[1], e.texts[2]}; got != want {
			t.Errorf("%s: sent %q, want %q", model, got, want)
		}
	}
}

// misbehaviours are answers without valid vectors, with a part of the expected error.
var misbehaviours = map[string]struct {
	handler http.HandlerFunc
	says    string
}{
	"not allowed":  {status(401, `{"error":{"message":"Incorrect API key provided: `+key+`."}}`), "401 Unauthorized: Incorrect API key provided: [key]."},
	"plain text":   {status(500, "oh\x1b[31m no\n"+key), "500 Internal Server Error: oh [31m no [key]"},
	"error string": {status(404, `{"error":"model not found"}`), `404 Not Found: "model not found"`},
	"long error":   {status(500, strings.Repeat("é", 5000)), "é…"},
	"a redirect": {func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v2/embeddings", http.StatusTemporaryRedirect)
	}, "307"},
	"HTML":          {status(200, "<html>"), "not the JSON"},
	"nothing":       {status(200, ""), "not the JSON"},
	"another shape": {status(200, `{"embeddings":[[1,2,3]]}`), "0 vectors"},
	"too few":       {status(200, `{"data":[{"index":0,"embedding":[1,2,3]}]}`), "1 vectors"},
	"one twice":     {status(200, `{"data":[{"index":1,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]}]}`), "each of 2"},
	"bad index":     {status(200, `{"data":[{"index":-1,"embedding":[1,2,3]},{"index":0,"embedding":[1,2,3]}]}`), "each of 2"},
	"too long":      {status(200, `{"data":[{"embedding":[1,2,3]},{"embedding":[1,2,3,4]}]}`), "a vector of 4 values, want 3"},
	"empty vector":  {status(200, `{"data":[{"embedding":[1,2,3]},{"embedding":[]}]}`), "without values"},
	"zeros":         {status(200, `{"data":[{"embedding":[1,2,3]},{"embedding":[0,0,0]}]}`), "length 0"},
	"beyond floats": {status(200, `{"data":[{"embedding":[1,2,3]},{"embedding":[1e99,0,0]}]}`), "not the JSON"},
	"base64":        {status(200, `{"data":[{"embedding":"AACAPw=="},{"embedding":"AACAPw=="}]}`), "not the JSON"},
	"endless": {func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	}, "more than 8 MB"},
	"breaks off": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"data":[`)
	}, "ended early"},
	"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestMisbehaviour(t *testing.T) {
	for name, m := range misbehaviours {
		t.Run(name, func(t *testing.T) {
			e := serve(t)
			engine := open(t, e, "m")
			e.misbehave(m.handler)
			_, err := engine.Embed(t.Context(), []string{"a", "b"})
			if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), m.says) {
				t.Fatalf("%v, want unavailable with %q", err, m.says)
			}
			if text := err.Error(); strings.Contains(text, key) || strings.Contains(text, e.URL) || len(text) > 500 {
				t.Errorf("the error tells too much: %s", text)
			}
			if e.requests.Load() != 2 {
				t.Errorf("%d requests, want one to open and one", e.requests.Load())
			}
		})
	}
}

// TestThreeFailuresLoseTheEndpoint: three failures in a row make an endpoint lost, a success resets the
// count.
func TestThreeFailuresLoseTheEndpoint(t *testing.T) {
	e := serve(t)
	engine := open(t, e, "m")
	ask := func() { _, _ = engine.EmbedQuery(t.Context(), "q") }
	for range 4 {
		e.misbehave(status(503, ""))
		ask()
		ask()
		e.fail.Store(nil)
		ask()
	}
	if engine.Err() != nil {
		t.Fatalf("gone: %v", engine.Err())
	}
	given, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		_, _ = engine.EmbedQuery(given, "q") // a cancelled request is not a failure of the endpoint
	}
	select {
	case <-engine.Done():
		t.Fatal("gone after queries that were given up")
	default:
	}
	e.misbehave(status(503, ""))
	for range 5 {
		ask()
	}
	<-engine.Done()
	if engine.Err() == nil {
		t.Error("no error")
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "999999999999999": 5 * time.Minute, "86400": 5 * time.Minute, "soon": 0, "-1": 0} {
		e := serve(t)
		engine := open(t, e, "m")
		e.misbehave(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := engine.EmbedQuery(t.Context(), "q")
		var refusal *toolscript.Error
		if !errors.As(err, &refusal) || refusal.RetryAfter != want {
			t.Errorf("Retry-After %s: %+v, want %s", header, refusal, want)
		}
	}
}

// TestEndpointThatDoesNotAnswer: a request to an endpoint that does not answer ends after 30 s.
func TestEndpointThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := opened(t)
		begun := time.Now()
		_, err := engine.EmbedQuery(t.Context(), "q")
		if took := time.Since(begun); took != 30*time.Second || toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// opened returns an engine whose connection answers once, in a synctest bubble.
func opened(t *testing.T) *embedding.Engine {
	t.Helper()
	answered := false
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if answered {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		answered = true
		body := io.NopCloser(strings.NewReader(`{"data":[{"embedding":[1,2,3]}]}`))
		return &http.Response{StatusCode: 200, Body: body, Header: http.Header{}}, nil
	})}
	engine, err := embedding.Open(t.Context(), embedding.RemoteOptions{URL: "http://localhost/v1", Model: "m", Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"":                            "http or https",
		"ftp://host/v1":               "http or https",
		"/v1":                         "http or https",
		"https://":                    "http or https",
		"https://me:" + key + "@host": "has a user",
		"https://host/v1?k=" + key:    "has a user, a query",
		"http://host/v1":              "in clear text",
		"https://host/v1":             "",
		"http://127.0.0.1:1/v1":       "",
		"http://localhost:1/v1":       "",
		"http://[::1]:1/v1":           "",
	} {
		err := embedding.RemoteOptions{URL: url, Model: "m", Key: key}.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
		if strings.Contains(fmt.Sprint(err), key) {
			t.Errorf("%s: the error has the key: %v", url, err)
		}
	}
	for _, o := range []embedding.RemoteOptions{{URL: "https://host"}, {URL: "https://host", Model: "m", Key: "a\nb"}} {
		if toolscript.KindOf(o.Check()) != toolscript.Invalid {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestEndpointByItsFullAddress(t *testing.T) {
	e := serve(t)
	for _, url := range []string{e.URL + "/v1/", e.URL + "/v1/embeddings", e.URL + "/v1/embeddings/"} {
		if _, err := embedding.Open(t.Context(), embedding.RemoteOptions{URL: url, Model: "m"}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := embedding.Open(t.Context(), embedding.RemoteOptions{URL: "http://127.0.0.1:1", Model: "m"}); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("no listener: %v", err)
	}
}

func TestAllProxy(t *testing.T) {
	for _, variable := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(variable, "")
	}
	t.Setenv("ALL_PROXY", "socks4://proxy.test:1") // which fails every request that uses it
	if _, err := embedding.Open(t.Context(), embedding.RemoteOptions{URL: "https://model.test/v1", Model: "m"}); err == nil || !strings.Contains(err.Error(), `has the scheme "socks4"`) {
		t.Errorf("got %v, want the error of the proxy", err)
	}
}
