package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
)

// newClientCredentialsWorld returns a world with a server that accepts a client with its own secret.
func newClientCredentialsWorld(t *testing.T, more string) (*world, *oauthserver.Server) {
	t.Helper()
	as := oauthserver.Start(t, oauthserver.Options{
		NoRegistration: true, ClientID: "robot", ClientSecret: "s3cret", AuthMethod: "client_secret_basic",
	})
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"guarded": {"url": %q, "oauth": {"grant": "client_credentials", "clientId": "robot", "clientSecret": "s3cret"%s}}}}`, as.MCP, more)})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+filepath.Join(t.TempDir(), "data"))
	return w, as
}

// Without a terminal nobody can confirm the issuer, so the secret is not sent.
func TestAuthIssuerNeedsATerminal(t *testing.T) {
	w, as := newClientCredentialsWorld(t, "")
	table := w.run(t, "auth")
	if !strings.Contains(table.stdout, "✗\tguarded\tnot authenticated (") {
		t.Errorf("table: %+v", table)
	}
	for _, want := range []string{as.URL, "toolscript auth guarded --issuer " + as.URL, "oauth.issuer"} {
		if r := w.run(t, "auth", "guarded"); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("%+v does not name %s", r, want)
		}
	}
	r := w.run(t, "auth", "guarded", "--issuer", "https://login.example.com")
	if r.code != 1 || !strings.Contains(r.stderr, as.URL) || !strings.Contains(r.stderr, "https://login.example.com") {
		t.Errorf("another issuer: %+v", r)
	}
	if n := as.Count("token"); n != 0 {
		t.Errorf("%d token requests", n)
	}
}

// --issuer replaces the confirmation by a person, and a waiting gateway continues.
func TestAuthIssuerOfAFlag(t *testing.T) {
	w, as := newClientCredentialsWorld(t, "")
	_, export := gatewayAt(t, w)
	_, gateway, _ := strings.Cut(export, "=")
	s, _ := inState(t, w, "guarded", "needs_auth")
	if !strings.Contains(s.Error, as.URL) || !strings.Contains(s.Error, "toolscript auth guarded") || as.Count("token") != 0 {
		t.Errorf("before the confirmation: %+v, %d token requests", s, as.Count("token"))
	}
	if status, body := postJSON(t, gateway+"/servers/guarded/auth", "{}"); status != http.StatusUnauthorized || !strings.Contains(body, as.URL) {
		t.Errorf("a login over HTTP: %d %s", status, body)
	}
	if r := w.run(t, "auth", "guarded", "--issuer", as.URL); r.code != 0 {
		t.Fatalf("auth: %+v", r)
	}
	inState(t, w, "guarded", "ready")
	if r := w.run(t, "auth", "guarded"); r.code != 0 { // the issuer is pinned
		t.Errorf("auth again: %+v", r)
	}
}

func TestAuthIssuerOfTheConfiguration(t *testing.T) {
	w, as := newClientCredentialsWorld(t, `, "issuer": "https://login.example.com"`)
	for _, args := range [][]string{{"auth", "guarded"}, {"auth", "guarded", "--issuer", as.URL}} {
		r := w.run(t, args...)
		if r.code != 1 || !strings.Contains(r.stderr, as.URL) || !strings.Contains(r.stderr, "https://login.example.com") || as.Count("token") != 0 {
			t.Errorf("%v: %+v, %d token requests", args, r, as.Count("token"))
		}
	}
	gatewayAt(t, w)
	s, _ := inState(t, w, "guarded", "failed")
	if !strings.Contains(s.Error, as.URL) || !strings.Contains(s.Error, "https://login.example.com") || s.Status != "authentication_failed" {
		t.Errorf("in a gateway: %+v", s)
	}
}

// The table distinguishes servers that need no login, servers that are unreachable,
// and servers without a login.
func TestAuthTable(t *testing.T) {
	as, open := oauthserver.Start(t, oauthserver.Options{}), oauthserver.Start(t, oauthserver.Options{Open: true})
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(`{"mcpServers": {
		"guarded": {"url": %q}, "open": {"url": %q}, "hinted": {"url": %q, "oauth": {"scope": "x"}}, "gone": {"url": "http://127.0.0.1:1/mcp"},
		"asleep": {"url": %q, "disabled": true}, "unset": {"url": "${NOT_SET}"}, "local": {"command": "x"}}}`, as.MCP, open.MCP, open.MCP, open.MCP)})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+filepath.Join(t.TempDir(), "data"))
	r := w.run(t, "auth")
	checkOrder(t, r.stdout, "-\tasleep\tdisabled", "?\tgone\tunknown (", "✗\tguarded\tnot authenticated\n",
		"✓\thinted\tno login needed\n", "✓\topen\tno login needed\n", "?\tunset\tunknown (", "NOT_SET", "To log in at a server, run: toolscript auth SERVER")
	if r.code != 0 || strings.Contains(r.stdout, "local") {
		t.Errorf("%+v", r)
	}
	var all []struct{ Server, Status, Error string }
	if err := json.Unmarshal([]byte(w.run(t, "auth", "--json").stdout), &all); err != nil || len(all) != 6 || all[4].Status != "not_needed" || all[1].Status != "unknown" {
		t.Errorf("%+v %v", all, err)
	}
}

// A refused login is shown as failed with its reason and time in the table and by the
// gateway, and not logged as ok.
func TestRefusedLoginIsShown(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{})
	_, export, log := gatewayWithLog(t, w)
	_, gateway, _ := strings.Cut(export, "=")
	inState(t, w, "guarded", "needs_auth")
	_, body := postJSON(t, gateway+"/servers/guarded/auth", "{}")
	var begun struct{ AuthorizationURL string }
	if err := json.Unmarshal([]byte(body), &begun); err != nil {
		t.Fatal(err)
	}
	back := as.Agree(t, begun.AuthorizationURL)
	query := back.Query()
	query.Set("error", "access_denied")
	back.RawQuery = query.Encode()
	before := time.Now().Add(-time.Second)
	if code, page := visit(t, back.String()); code != http.StatusOK || !strings.Contains(page, "access_denied") {
		t.Errorf("page: %d %s", code, page)
	}
	r := w.run(t, "list-servers", "--json")
	var all []struct {
		Name, Error string
		Status      string    `json:"oauth_status"`
		Reason      string    `json:"oauth_error"`
		Failed      time.Time `json:"oauth_failed_at"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == "guarded" && (s.Status != "authentication_failed" || !strings.Contains(s.Reason, "access_denied") ||
			s.Failed.Before(before) || s.Failed.After(time.Now()) || !strings.Contains(s.Error, "access_denied")) {
			t.Errorf("%+v", s)
		}
	}
	shown := "✗\tguarded\tlogin failed at " + all[0].Failed.Local().Format(time.DateTime) + " (the authorization server answers access_denied)"
	if table := w.run(t, "auth"); !strings.Contains(table.stdout, shown) {
		t.Errorf("no %q in %s", shown, table.stdout)
	}
	for _, want := range []string{"level=WARN msg=\"login failed; run: toolscript auth guarded\"", "route=/oauth/callback status=200", "outcome=unauthorized"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, log)
		}
	}
	visit(t, back.String()) // the state is used up
	if !strings.Contains(log.String(), "outcome=invalid") {
		t.Errorf("an unknown state is not in the log:\n%s", log)
	}
}
