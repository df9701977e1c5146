package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/test/kit"
)

// guarded is a world with one server that requires a login, and a browser that only
// stores the URL.
func guarded(t *testing.T, o oauthserver.Options) (w *world, as *oauthserver.Server, browser string) {
	t.Helper()
	as = oauthserver.Start(t, o)
	w = newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"guarded": {"url": %q}, "local": {"command": "toolscript", "args": ["mcp-demo"]}}}`, as.MCP)})
	bin := t.TempDir()
	browser = filepath.Join(bin, "address")
	script := "#!/bin/sh\n[ $# = 1 ] && printf %s \"$1\" > " + browser + "\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+filepath.Join(t.TempDir(), "data"))
	return w, as, browser
}

// authRun is a running `toolscript auth`, which waits for the browser.
type authRun struct {
	*command
	lines   *bufio.Reader
	said    strings.Builder // output without the authorization URL
	address string
	end     chan string // receives the remaining output
}

func startAuth(t *testing.T, w *world, stdin io.Reader, args ...string) *authRun {
	t.Helper()
	seen, stdout := io.Pipe()
	a := &authRun{lines: bufio.NewReader(seen)}
	a.command = w.start(t, command{stdin: stdin, stdout: stdout}, append([]string{"auth"}, args...)...)
	go func() {
		code := <-a.code
		_ = stdout.Close()
		a.code <- code
	}()
	for !strings.HasPrefix(a.next(t), "Waiting for you") {
	}
	a.end = make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(a.lines) // reading this pipe does not fail
		a.end <- string(text)
	}()
	return a
}

func (a *authRun) next(t *testing.T) string {
	t.Helper()
	line, err := a.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v after:\n%s\nstderr:\n%s", err, a.said.String(), a.stderr)
	}
	line = strings.TrimSuffix(line, "\n")
	if address, ok := strings.CutPrefix(line, "Authorization URL: "); ok {
		a.address = address
		return line
	}
	a.said.WriteString(line + "\n")
	return line
}

// rest returns the remaining output and the exit code.
func (a *authRun) rest() (string, int) {
	text := <-a.end
	a.said.WriteString(text)
	return text, <-a.code
}

// visit sends the request to which the authorization server redirects the browser.
func visit(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if csp := resp.Header.Get("Content-Security-Policy"); resp.StatusCode != http.StatusNotFound && !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the page may load things: %q", csp)
	}
	return resp.StatusCode, string(body)
}

type server struct {
	Name, State, Error string
	Status             string `json:"oauth_status"`
}

func serverNamed(t *testing.T, w *world, name string) (server, string) {
	t.Helper()
	r := w.run(t, "list-servers", "--json")
	var all []server
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, s := range all {
		if s.Name == name {
			return s, r.stdout + r.stderr
		}
	}
	t.Fatalf("no server %s in %s", name, r.stdout)
	return server{}, ""
}

// inState polls until a server has a state, and returns the server and the output with that state.
func inState(t *testing.T, w *world, name, state string) (s server, text string) {
	t.Helper()
	kit.Eventually(t, name+" is in state "+state, func() bool {
		s, text = serverNamed(t, w, name)
		return s.State == state
	})
	return s, text
}

// After a login, a running gateway connects by itself. No output contains secrets.
func TestAuth(t *testing.T) {
	w, as, browser := guarded(t, oauthserver.Options{})
	said := &strings.Builder{}
	_, export, log := gatewayWithLog(t, w, "--log-level", "debug")
	_, gateway, _ := strings.Cut(export, "=")

	s, text := inState(t, w, "guarded", "needs_auth")
	said.WriteString(text)
	if s.Status != "pending_authorization" || !strings.Contains(s.Error, "toolscript auth guarded") {
		t.Errorf("before the login: %+v", s)
	}
	status, body := postJSON(t, gateway+"/tools/guarded__echo", `{"text":"hi"}`)
	if status != http.StatusUnauthorized || !strings.Contains(body, "toolscript auth guarded") {
		t.Errorf("a call before the login: %d %s", status, body)
	}
	said.WriteString(body)

	a := startAuth(t, w, nil, "guarded")
	opened, err := os.ReadFile(browser)
	if err != nil || string(opened) != a.address {
		t.Errorf("the browser was given %q, %v; want the URL printed", opened, err)
	}
	if code, _ := visit(t, "http://"+as.Agree(t, a.address).Host+"/elsewhere"); code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
	code, page := visit(t, as.Agree(t, a.address).String())
	if code != http.StatusOK || !strings.Contains(page, "Authentication successful") {
		t.Errorf("page: %d %s", code, page)
	}
	text, exit := a.rest()
	if exit != 0 || !strings.HasSuffix(text, "\n") || !strings.Contains(text, "Logged in at guarded") {
		t.Errorf("exit %d after %s; stderr:\n%s", exit, text, a.stderr)
	}
	checkOrder(t, a.said.String(),
		"Logging in at guarded", "Looking for the authorization server", "Registering a client",
		"Registered a client", "Listening on port ", "Opening the browser",
		"Waiting for you", "Received the authorization code", "Exchanging the authorization code for a token")
	said.WriteString(a.said.String() + a.stderr.String() + page)

	s, text = inState(t, w, "guarded", "ready")
	said.WriteString(text)
	if s.Status != "authenticated" {
		t.Errorf("after the login: %+v", s)
	}
	status, body = postJSON(t, gateway+"/tools/guarded__echo", `{"text":"hi"}`)
	if status != http.StatusOK || !strings.Contains(body, "echo: hi") {
		t.Errorf("a call after the login: %d %s", status, body)
	}
	again := w.run(t, "auth", "guarded")
	if again.code != 0 || !strings.Contains(again.stdout, "No login needed") {
		t.Errorf("auth again: %+v", again)
	}
	table := w.run(t, "auth")
	if table.code != 0 || !strings.Contains(table.stdout, "✓\tguarded\tauthenticated") || strings.Contains(table.stdout, "local") {
		t.Errorf("table: %+v", table)
	}
	as.Revoke(true)
	as.Deny(func(*http.Request) (int, string) { return http.StatusBadRequest, `{"error":"invalid_grant"}` })
	status, body = postJSON(t, gateway+"/tools/guarded__echo", `{"text":"hi"}`)
	if status != http.StatusUnauthorized {
		t.Errorf("a call after the end of the login: %d %s", status, body)
	}
	s, list := serverNamed(t, w, "guarded")
	if s.Status != "authentication_failed" {
		t.Errorf("after the end of the login: %+v", s)
	}
	statusText := w.run(t, "gateway", "status", "--json")
	said.WriteString(body + list + table.stdout + again.stdout + statusText.stdout + log.String())
	if !strings.Contains(log.String(), "oauth token") && !strings.Contains(log.String(), "oauth discovery") {
		t.Errorf("the gateway's log says nothing of the login:\n%s", log)
	}

	for _, secret := range as.Secrets() {
		if strings.Contains(said.String(), secret) {
			t.Errorf("secret %q in what was said:\n%s", secret, said)
		}
	}
}

// TestAuthTriesAServerAgain: a login makes a gateway connect at once to a server that waits for its next try.
func TestAuthTriesAServerAgain(t *testing.T) {
	server := mcpserver.NewHTTP()
	server.Refuse(http.StatusNotFound, math.MaxInt)
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(`{"mcpServers": {"late": {"url": %q}}}`, web.URL+"/mcp")})
	gatewayAt(t, w)
	inState(t, w, "late", "backoff")
	server.Refuse(0, 0)
	if r := w.run(t, "auth", "late"); r.code != 0 || !strings.Contains(r.stdout, "No login needed") {
		t.Errorf("auth: %+v", r)
	}
	if s, _ := serverNamed(t, w, "late"); s.State != "ready" {
		t.Errorf("after the login: %+v", s)
	}
}

func checkOrder(t *testing.T, text string, lines ...string) {
	t.Helper()
	rest := text
	for _, line := range lines {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("no %q in its place in\n%s", line, text)
		}
		rest = after
	}
}

func postJSON(t *testing.T, address, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// auth refuses a redirect with an unknown state.
func TestAuthRefusesAnUnknownState(t *testing.T) {
	for name, change := range map[string]func(url.Values){
		"wrong":   func(q url.Values) { q.Set("state", "Zm9yZ2Vk") },
		"missing": func(q url.Values) { q.Del("state") },
	} {
		t.Run(name, func(t *testing.T) {
			w, as, _ := guarded(t, oauthserver.Options{})
			a := startAuth(t, w, nil, "--no-browser", "guarded")
			back := as.Agree(t, a.address)
			query := back.Query()
			change(query)
			back.RawQuery = query.Encode()
			if code, page := visit(t, back.String()); code != http.StatusBadRequest || !strings.Contains(page, "Authentication Failed") {
				t.Errorf("page: %d %s", code, page)
			}
			if _, exit := a.rest(); exit != 1 || as.Count("token") != 0 {
				t.Errorf("exit %d, %d token requests; stderr:\n%s", exit, as.Count("token"), a.stderr)
			}
		})
	}
}

func TestAuthDenied(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	a := startAuth(t, w, nil, "--no-browser", "guarded")
	back := as.Agree(t, a.address)
	query := back.Query()
	query.Set("error", "access_denied")
	query.Set("error_description", "<b>no</b>")
	back.RawQuery = query.Encode()
	code, page := visit(t, back.String())
	if code != http.StatusOK || !strings.Contains(page, "Authentication Failed") || strings.Contains(page, "<b>") {
		t.Errorf("page: %d %s", code, page)
	}
	if _, exit := a.rest(); exit != 1 || !strings.Contains(a.stderr.String(), "<b>no</b>") {
		t.Errorf("exit %d; stderr:\n%s", exit, a.stderr)
	}
}

func TestAuthAcceptsAPastedAddress(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	input, typed := io.Pipe()
	a := startAuth(t, w, input, "--no-browser", "guarded")
	back := as.Agree(t, a.address)
	if _, err := fmt.Fprintf(typed, "what?\n\n%s\n", back); err != nil {
		t.Fatal(err)
	}
	if _, exit := a.rest(); exit != 0 || !strings.Contains(a.stderr.String(), "not the address") {
		t.Errorf("exit %d; stderr:\n%s", exit, a.stderr)
	}
}

func TestAuthEndsWithCtrlC(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	a := startAuth(t, w, nil, "--no-browser", "guarded")
	a.signals <- os.Interrupt
	if _, exit := a.rest(); exit != 130 {
		t.Errorf("exit %d", exit)
	}
	if resp, err := http.Get(as.Agree(t, a.address).String()); err == nil {
		_ = resp.Body.Close()
		t.Error("the callback server still answers")
	}
}

func TestAuthLogout(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	a := startAuth(t, w, nil, "--no-browser", "guarded")
	visit(t, as.Agree(t, a.address).String())
	a.rest()
	for _, want := range []string{"Logged out of guarded\n", "Not logged in at guarded\n"} {
		if r := w.run(t, "auth", "logout", "guarded"); r.code != 0 || r.stdout != want || r.stderr != "" {
			t.Errorf("logout: %+v, want %q", r, want)
		}
	}
	if n := as.Count("revoke"); n != 2 {
		t.Errorf("%d tokens revoked, want 2", n)
	}
	if r := w.run(t, "auth"); !strings.Contains(r.stdout, "✗\tguarded\tnot authenticated") {
		t.Errorf("table: %s", r.stdout)
	}
}

// The secret of a registered client is stored only in the configuration, and is used for the
// revocation. A logout also works for a server that is not configured.
func TestAuthLogoutOfAConfiguredClient(t *testing.T) {
	for _, configured := range []bool{true, false} {
		t.Run(fmt.Sprint(configured), func(t *testing.T) {
			w, as, _ := guarded(t, oauthserver.Options{NoRegistration: true, ClientID: "known", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"})
			file := filepath.Join(w.dir, "..", "home", ".toolscript.json")
			if err := os.WriteFile(file, fmt.Appendf(nil,
				`{"mcpServers": {"guarded": {"url": %q, "oauth": {"clientId": "known", "clientSecret": "s3cret", "issuer": %q}}}}`, as.MCP, as.URL), 0o600); err != nil {
				t.Fatal(err)
			}
			a := startAuth(t, w, nil, "--no-browser", "guarded")
			visit(t, as.Agree(t, a.address).String())
			a.rest()
			if !configured {
				if err := os.WriteFile(file, []byte(`{"mcpServers": {}}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := w.run(t, "auth", "logout", "guarded")
			warned := strings.Contains(r.stderr, "invalid_client")
			if r.code != 0 || r.stdout != "Logged out of guarded\n" || warned == configured {
				t.Errorf("logout: %+v", r)
			}
		})
	}
}

func TestAuthMistakes(t *testing.T) {
	w, _, _ := guarded(t, oauthserver.Options{NoRegistration: true})
	for _, tt := range []struct {
		name, stderr string
		args         []string
	}{
		{"stdio", "server local is a stdio server; OAuth2 is for HTTP/SSE servers only", []string{"auth", "local"}},
		{"unknown", "guarded, local", []string{"auth", "gone"}},
		{"no way to register", "oauth.clientId", []string{"auth", "guarded"}},
	} {
		if r := w.run(t, tt.args...); r.code != 1 || !strings.Contains(r.stderr, tt.stderr) {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

// A login can begin and end at the gateway.
func TestGatewayCallback(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	listening, export := gatewayAt(t, w)
	_, gateway, _ := strings.Cut(export, "=")
	status, body := postJSON(t, gateway+"/servers/guarded/auth", "{}")
	var begun struct{ AuthorizationURL string }
	if err := json.Unmarshal([]byte(body), &begun); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	back := as.Agree(t, begun.AuthorizationURL)
	if !strings.HasSuffix(listening, " http://"+back.Host) {
		t.Errorf("it comes back to %s, and the gateway is %q", back.Host, listening)
	}
	forged := *back
	forged.RawQuery = "code=x&state=forged"
	if code, page := visit(t, forged.String()); code != http.StatusBadRequest || !strings.Contains(page, "Authentication Failed") {
		t.Errorf("forged: %d %s", code, page)
	}
	if code, page := visit(t, back.String()); code != http.StatusOK || !strings.Contains(page, "Authentication successful") {
		t.Errorf("page: %d %s", code, page)
	}
	if code, _ := visit(t, back.String()); code != http.StatusBadRequest {
		t.Errorf("the same state again: %d", code)
	}
	inState(t, w, "guarded", "ready")
	if status, body := postJSON(t, gateway+"/servers/local/auth", "{}"); status != http.StatusBadRequest || !strings.Contains(body, "HTTP/SSE") {
		t.Errorf("a stdio server: %d %s", status, body)
	}
	if status, _ := postJSON(t, gateway+"/servers/gone/auth", "{}"); status != http.StatusNotFound {
		t.Errorf("an unknown server: %d", status)
	}
}
