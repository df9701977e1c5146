package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/builtin/documents"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/builtin/web"
	"github.com/toolscript/toolscript/transport/upstream"
)

// scene is a workspace that allows some hosts.
type scene struct {
	*testing.T
	w          *tool.Workspace
	background sync.WaitGroup
}

func newScene(t *testing.T, allowHosts ...string) *scene {
	t.Helper()
	w, err := tool.Open(files.Folder{}, t.TempDir(), upstream.Host{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{T: t, w: w}
	w.Settings.Web.AllowHosts = allowHosts
	w.Background = func(work func(context.Context)) { s.background.Go(func() { work(t.Context()) }) }
	t.Cleanup(func() { s.background.Wait(); _ = w.Close() })
	return s
}

type fetch struct{ FileKey, URL, Title, Content, Error string }

type fetches struct {
	Fetches []struct {
		fetch
		Tokens int
		Cached bool
	}
}

// call calls a tool and decodes its result.
func call[R any](s *scene, t tool.Tool, args any) (result R, err error) {
	s.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		s.Fatal(err)
	}
	value, err := t.Run(s.Context(), s.w, raw)
	if err != nil {
		return result, err
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		s.Fatal(err)
	}
	return result, nil
}

type object = map[string]any

func (s *scene) fetch(args object) (fetches, error) {
	s.Helper()
	return call[fetches](s, web.FetchURL, args)
}

// serve starts an HTTP server and counts its requests.
func serve(t *testing.T, handle http.HandlerFunc) (address string, hits *atomic.Int32) {
	t.Helper()
	hits = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), hits
}

func page(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<title>T</title><p>text") }

// resolve replaces the DNS server of this process until the test ends. answer returns the
// address of a name, or "".
func resolve(t *testing.T, answer func(name string) string) {
	t.Helper()
	dns.Serve(t, func(name string) []string { return []string{answer(name)} })
}

// hosts are notations of addresses that are not public.
var hosts = []string{
	"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.01",
	"0", "0.0.0.0", "localhost", "LOCALHOST", "localhost.", "localhost.localdomain", "[::1]", "[::]", "[::ffff:127.0.0.1]",
	"[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::1%25lo]",
	"[fe80::1%25lo]", "[fc00::1]", "[fec0::1]", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "127.0.0.1.name.test", "name.test",
	"metadata.test", "169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "198.18.0.1", "224.0.0.1",
	"255.255.255.255", "240.0.0.1", "0.1.2.3", "example.com@127.0.0.1", "127.0.0.1:1@127.0.0.1", "a:b@localhost",
	"six.test", "mapped.test",
}

// resolveHere resolves every name to this machine or its network.
func resolveHere(t *testing.T) {
	t.Helper()
	resolve(t, func(name string) string {
		switch name {
		case "metadata.test":
			return "169.254.169.254"
		case "six.test":
			return "::1"
		case "mapped.test":
			return "::ffff:127.0.0.1"
		}
		return "127.0.0.1"
	})
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	if len(hosts) < 30 {
		t.Fatalf("%d spellings", len(hosts))
	}
	resolveHere(t)
	address, hits := serve(t, page)
	_, port, _ := net.SplitHostPort(address)
	s := newScene(t, "other.test", "localhost:1", "127.0.0.1:1", "[::1]:1")
	for _, host := range hosts {
		for _, form := range []string{"http://%s:%s/", "https://%s:%s/", "HTTP://%s:%s/x?y#z"} {
			if got, err := s.fetch(object{"urls": fmt.Sprintf(form, host, port)}); err == nil {
				t.Errorf("%s was fetched: %+v", fmt.Sprintf(form, host, port), got)
			}
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server got %d requests", n)
	}
}

func TestOtherURLsAreRefused(t *testing.T) {
	address, hits := serve(t, page)
	s := newScene(t, address)
	for _, text := range []string{
		"", " ", "/", "//" + address, address, "http:" + address, "http:///path", "http://", "http://:80/", "file:///etc/passwd",
		"ftp://" + address, "gopher://" + address, "data:text/html,x", "javascript:1", "unix:///run/x.sock", "about:blank", "blob:http://" + address,
		"http://user@" + address, "http://user:pass@" + address, "ws://" + address, "http://a b/", "http://[::1/", "http://" + address + "\\@example.test/\x00",
		"http://%00/", "view-source:http://" + address,
	} {
		if got, err := s.fetch(object{"urls": text}); err == nil {
			t.Errorf("%q was fetched: %+v", text, got)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server got %d requests", n)
	}
}

func TestRedirectsToPrivateAddressesAreRefused(t *testing.T) {
	resolveHere(t)
	secret, hits := serve(t, page)
	_, port, _ := net.SplitHostPort(secret)
	open, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		switch r.URL.Path {
		case "/302":
			w.WriteHeader(http.StatusFound)
		case "/303":
			w.WriteHeader(http.StatusSeeOther)
		case "/307":
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "/308":
			w.WriteHeader(http.StatusPermanentRedirect)
		default:
			w.WriteHeader(http.StatusMovedPermanently)
		}
	})
	s := newScene(t, open)
	for i, host := range hosts {
		status := []string{"/301", "/302", "/303", "/307", "/308"}[i%5]
		to := "http://" + host + ":" + port + "/"
		from := "http://" + open + status + "?" + url.Values{"to": {to}}.Encode()
		if got, err := s.fetch(object{"urls": from}); err == nil {
			t.Errorf("%s to %s was followed: %+v", status, to, got)
		}
		twice := "http://" + open + "/302?" + url.Values{"to": {from}}.Encode()
		if got, err := s.fetch(object{"urls": twice}); err == nil {
			t.Errorf("two redirects to %s were followed: %+v", to, got)
		}
	}
	for _, to := range []string{"file:///etc/passwd", "//" + secret, "ftp://" + secret, "data:text/html,x", "http://u:p@" + secret, "http://" + secret + "#x"} {
		if got, err := s.fetch(object{"urls": "http://" + open + "/302?" + url.Values{"to": {to}}.Encode()}); err == nil {
			t.Errorf("the redirect to %s was followed: %+v", to, got)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server got %d requests", n)
	}
}

// TestSecondAnswerOfDNS resolves a name first to an allowed address, and then to one that is not allowed.
func TestSecondAnswerOfDNS(t *testing.T) {
	var moved atomic.Bool
	resolve(t, func(string) string {
		if moved.Load() {
			return "127.0.0.2"
		}
		return "127.0.0.1"
	})
	address, hits := serve(t, func(w http.ResponseWriter, r *http.Request) {
		moved.Store(true)
		http.Redirect(w, r, "/next", http.StatusFound)
	})
	_, port, _ := net.SplitHostPort(address)
	s := newScene(t, "127.0.0.1:"+port)
	_, err := s.fetch(object{"urls": "http://rebind.test:" + port + "/"})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.2 is not a public address") || hits.Load() != 1 {
		t.Errorf("after %d requests the error is %v", hits.Load(), err)
	}
}

func TestTooManyRedirects(t *testing.T) {
	address, hits := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
	s := newScene(t, address)
	if _, err := s.fetch(object{"urls": "http://" + address + "/"}); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") || hits.Load() != 6 {
		t.Errorf("after %d requests the error is %v", hits.Load(), err)
	}
}

func TestAllowedHosts(t *testing.T) {
	resolveHere(t)
	address, _ := serve(t, page)
	_, port, _ := net.SplitHostPort(address)
	for _, test := range []struct{ allow, host string }{
		{"127.0.0.1", "127.0.0.1"}, {"127.0.0.1:" + port, "127.0.0.1"}, {"127.0.0.0/8", "127.0.0.1"}, {"127.0.0.0/8", "name.test"},
		{"::ffff:127.0.0.1", "127.0.0.1"}, {"name.test", "name.test"}, {"NAME.test.", "name.TEST"}, {"name.test:" + port, "name.test."},
		{"localhost", "localhost"},
	} {
		s := newScene(t, test.allow)
		if got, err := s.fetch(object{"urls": "http://" + test.host + ":" + port + "/"}); err != nil || got.Fetches[0].Title != "T" {
			t.Errorf("%s does not allow %s: %v", test.allow, test.host, err)
		}
	}
}

func TestFetchURL(t *testing.T) {
	const body = `<!doctype html><title> A
		page </title><style>p {}</style><script>alert(1)</script><h1>Head</h1><p>See <a href="/other">this</a> and <b>that</b>.</p>`
	address, hits := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			_, _ = fmt.Fprint(w, body)
		case "/latin":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = w.Write([]byte("<title>caf\xe9</title>"))
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"a": "<b>"}`)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
		case "/large":
			_, _ = w.Write(make([]byte, 6<<20))
		default:
			http.NotFound(w, r)
		}
	})
	base := "http://" + address
	s := newScene(t, address)
	got, err := s.fetch(object{"urls": []string{base + "/page#part", base + "/latin", base + "/json", base + "/none"}})
	if err != nil || len(got.Fetches) != 4 {
		t.Fatalf("the result is %+v, %v", got, err)
	}
	want := "# Head\n\nSee [this](" + base + "/other) and **that**."
	if first := got.Fetches[0]; first.Content != want || first.Title != "A page" || first.URL != base+"/page" || first.Cached || first.FileKey == "" ||
		first.Tokens != (len(want)+3)/4 {
		t.Errorf("the page is %+v", first)
	}
	if got.Fetches[1].Title != "café" || got.Fetches[2].Content != `{"a": "<b>"}` {
		t.Errorf("the others are %+v", got.Fetches[1:])
	}
	if last := got.Fetches[3]; last.FileKey != "" || !strings.Contains(last.Error, "404 Not Found") {
		t.Errorf("the missing page is %+v", last)
	}
	before := hits.Load()
	again, err := s.fetch(object{"urls": base + "/page", "maxLength": 3})
	if err != nil || !again.Fetches[0].Cached || again.Fetches[0].Content != "# H" || again.Fetches[0].FileKey != got.Fetches[0].FileKey || hits.Load() != before {
		t.Errorf("from the cache: %+v, %v, %d requests", again, err, hits.Load()-before)
	}
	for path, want := range map[string]string{"/none": "404", "/image": "image/png, and not text", "/large": "more than"} {
		if _, err := s.fetch(object{"urls": base + path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	cabinet, err := call[struct {
		Documents []struct{ Content, URL, Title string }
	}](s, documents.FetchFromFC, object{"fileKey": got.Fetches[0].FileKey})
	if err != nil || cabinet.Documents[0].Content != want || cabinet.Documents[0].URL != base+"/page" {
		t.Errorf("the cabinet has %+v, %v", cabinet, err)
	}
}

func TestThePageIsFetchedAgainAfterADay(t *testing.T) {
	address, hits := serve(t, page)
	s := newScene(t, address)
	args := object{"urls": "http://" + address + "/"}
	got, err := s.fetch(args)
	if err != nil {
		t.Fatal(err)
	}
	store, err := documents.Of(s.w)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		age    time.Duration
		cached bool
	}{{23 * time.Hour, true}, {25 * time.Hour, false}} {
		d, err := store.Document(t.Context(), got.Fetches[0].FileKey)
		if err != nil {
			t.Fatal(err)
		}
		d.SavedAt = time.Now().Add(-test.age)
		if err := store.Save(d); err != nil {
			t.Fatal(err)
		}
		if got, err = s.fetch(args); err != nil || got.Fetches[0].Cached != test.cached {
			t.Errorf("after %v: %+v, %v", test.age, got, err)
		}
	}
	if hits.Load() != 2 {
		t.Errorf("the page was fetched %d times", hits.Load())
	}
}

func TestWebSearch(t *testing.T) {
	address, hits := serve(t, page)
	results := func(query string) string {
		var all []string
		for i := range 4 {
			all = append(all, fmt.Sprintf(`{"url": "http://%s/%d", "title": "%s %d", "snippet": "s", "description": "s", "content": "s", "score": 0.5}`, address, i%2+len(query)*10+i/2, query, i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	var asked []string
	var mu sync.Mutex
	api, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query string `json:"query"`
			Most  int    `json:"max_results"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		q := r.URL.Query()
		mu.Lock()
		asked = append(asked, fmt.Sprintf("%s %s %s%s %d%s%s %s%s", r.Method, r.URL.Path, body.Query, q.Get("q"), body.Most, q.Get("count"), q.Get("format"), r.Header.Get("Authorization"), r.Header.Get("X-Subscription-Token")))
		mu.Unlock()
		list := results(body.Query + q.Get("q"))
		if r.URL.Path == "/brave" {
			list = `{"results": ` + list + `}`
			_, _ = fmt.Fprintf(w, `{"web": %s}`, list)
			return
		}
		_, _ = fmt.Fprintf(w, `{"results": %s}`, list)
	})
	for _, test := range []struct {
		settings upstream.SearchSettings
		want     string
	}{
		{upstream.SearchSettings{Provider: upstream.Perplexity, URL: "http://" + api + "/search", Key: "k"}, "POST /search a 3 Bearer k"},
		{upstream.SearchSettings{Provider: upstream.Brave, URL: "http://" + api + "/brave", Key: "k"}, "GET /brave a 03 k"},
		{upstream.SearchSettings{Provider: upstream.SearXNG, URL: "http://" + api + "/"}, "GET /search a 0json "},
	} {
		t.Run(test.settings.Provider, func(t *testing.T) {
			s := newScene(t, address)
			s.w.Settings.Web.Search = test.settings
			mu.Lock()
			asked = nil
			mu.Unlock()
			type found struct {
				Results []struct {
					URL, Title, Snippet string
					RelevanceScore      float64
				}
			}
			got, err := call[found](s, web.WebSearch, object{"query": "a", "maxResults": 3, "prefetch": 0})
			if err != nil || len(got.Results) != 2 || got.Results[0].Title != "a 0" || got.Results[0].Snippet != "s" || len(asked) != 1 || asked[0] != test.want {
				t.Fatalf("asked %q: %+v, %v", asked, got, err)
			}
			if scored := got.Results[0].RelevanceScore == 0.5; scored != (test.settings.Provider == upstream.SearXNG) {
				t.Errorf("the score is %v", got.Results[0].RelevanceScore)
			}
			got, err = call[found](s, web.WebSearch, object{"query": []string{"a", "bb", "a"}})
			var titles []string
			for _, r := range got.Results {
				titles = append(titles, r.Title)
			}
			if text := strings.Join(titles, ", "); err != nil || text != "a 0, bb 0, a 1, bb 1, a 3, bb 3" {
				t.Errorf("the merged results are %s, %v", text, err)
			}
			s.background.Wait()
			before := hits.Load()
			page, err := s.fetch(object{"urls": []string{got.Results[0].URL, got.Results[2].URL}})
			if err != nil || !page.Fetches[0].Cached || !page.Fetches[1].Cached || hits.Load() != before {
				t.Errorf("the first pages are not in the cache: %+v, %v", page, err)
			}
		})
	}
}

func TestWebSearchFails(t *testing.T) {
	other, redirected := serve(t, page)
	api, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "http://"+other, http.StatusFound)
		case "/text":
			_, _ = fmt.Fprint(w, "text")
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	})
	for want, settings := range map[string]upstream.SearchSettings{
		"no provider is configured":           {},
		"it answered 403":                     {Provider: upstream.Brave, URL: "http://" + api + "/no", Key: "top-secret"},
		"it answered 302":                     {Provider: upstream.Brave, URL: "http://" + api + "/redirect", Key: "top-secret"},
		"cannot be read":                      {Provider: upstream.Brave, URL: "http://" + api + "/text", Key: "top-secret"},
		"over https only, or to this machine": {Provider: upstream.SearXNG, URL: "http://example.test", Key: "top-secret"},
		"is not a URL":                        {Provider: upstream.SearXNG, URL: "searx"},
	} {
		s := newScene(t)
		s.w.Settings.Web.Search = settings
		_, err := call[object](s, web.WebSearch, object{"query": "secret question"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	if redirected.Load() != 0 {
		t.Error("the search followed a redirect")
	}
}

// TestWhatIsReadCountsForAnswers: reading a page or a provider's answer waits for memory that
// other answers use.
func TestWhatIsReadCountsForAnswers(t *testing.T) {
	address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"results": [{"url": "http://a.test/", "title": "a", "content": %q}]}`, strings.Repeat("x", 1<<20))
	})
	s := newScene(t, address)
	s.w.Answers = budget.New(func() int64 { return 1 << 20 })
	s.w.Settings.Web.Search = upstream.SearchSettings{Provider: upstream.SearXNG, URL: "http://" + address + "/search"}
	other, release := budget.Hold(t.Context())
	if err := s.w.Answers.Lease(other).Take(other, 2<<20); err != nil {
		t.Fatal(err)
	}
	var waits sync.WaitGroup
	for name, run := range map[string]func(context.Context) error{
		"page": func(ctx context.Context) error {
			_, err := web.FetchURL.Run(ctx, s.w, json.RawMessage(`{"urls": "http://`+address+`/"}`))
			return err
		},
		"search": func(ctx context.Context) error {
			_, err := web.WebSearch.Run(ctx, s.w, json.RawMessage(`{"query": "a", "prefetch": 0}`))
			return err
		},
	} {
		waits.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // long enough to receive the bytes on a busy machine
			defer cancel()
			if err := run(ctx); !errors.Is(err, budget.ErrFull) {
				t.Errorf("%s: %v, want that the memory is used", name, err)
			}
		})
	}
	waits.Wait()
	release()
	if _, err := web.WebSearch.Run(t.Context(), s.w, json.RawMessage(`{"query": "a", "prefetch": 0}`)); err != nil {
		t.Errorf("with free memory: %v", err)
	}
}
