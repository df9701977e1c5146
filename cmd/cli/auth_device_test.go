package cli_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
)

// --device logs in with a code. A running gateway connects after that. No output has a secret.
func TestAuthDevice(t *testing.T) {
	w, as, browser := guarded(t, oauthserver.Options{Device: []string{"authorization_pending", ""}})
	gatewayAt(t, w)
	inState(t, w, "guarded", "needs_auth")
	r := w.run(t, "auth", "--device", "guarded")
	if r.code != 0 {
		t.Fatalf("auth: %+v", r)
	}
	checkOrder(t, r.stdout, "Logging in at guarded", "Registered a client", "On any device, open: "+as.URL+"/enter\n", "Enter the code: WDJB-MJHT\n",
		"Or open, with the code: "+as.URL+"/enter?code=WDJB-MJHT\n", "Waiting for you to enter the code, until ", "Logged in at guarded")
	if _, err := os.Stat(browser); err == nil {
		t.Error("a browser was opened")
	}
	inState(t, w, "guarded", "ready")
	for _, secret := range as.Secrets() {
		if strings.Contains(r.stdout+r.stderr, secret) {
			t.Errorf("secret %q in %+v", secret, r)
		}
	}
}

func TestAuthDeviceFails(t *testing.T) {
	for want, says := range map[string][]string{
		"the code has expired before it was entered":                          {"expired_token"},
		"the authorization server answers access_denied":                      {"access_denied"},
		"guarded: the authorization server offers no login on another device": nil,
	} {
		w, _, _ := guarded(t, oauthserver.Options{Device: says})
		if r := w.run(t, "auth", "--device", "guarded"); r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", want, r)
		}
	}
}

// Without a browser, the code is offered by itself, and the page of the authorization server still works.
func TestAuthOffersADevice(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{Device: []string{""}})
	t.Setenv("PATH", t.TempDir())
	r := w.run(t, "auth", "guarded")
	if r.code != 0 {
		t.Fatalf("auth: %+v", r)
	}
	checkOrder(t, r.stdout, "Authorization URL: ", "The browser could not be opened", "Enter the code: WDJB-MJHT\n", "Logged in at guarded")
	if as.Count("authorization_code") != 0 {
		t.Error("the page was used")
	}

	w, as, _ = guarded(t, oauthserver.Options{Device: []string{"authorization_pending"}})
	t.Setenv("PATH", t.TempDir())
	a := startAuth(t, w, nil, "guarded")
	if code, _ := visit(t, as.Agree(t, a.address).String()); code != http.StatusOK {
		t.Errorf("the page: %d", code)
	}
	if text, exit := a.rest(); exit != 0 || !strings.Contains(text, "Logged in at guarded") {
		t.Errorf("exit %d after %s", exit, text)
	}
}

// A gateway logs in with a code for a client of its API, and connects after that.
func TestAuthDeviceOfTheGateway(t *testing.T) {
	w, as, _ := guarded(t, oauthserver.Options{Device: []string{"authorization_pending", ""}})
	_, export := gatewayAt(t, w)
	_, gateway, _ := strings.Cut(export, "=")
	inState(t, w, "guarded", "needs_auth")
	status, body := postJSON(t, gateway+"/servers/guarded/auth", `{"device":true}`)
	if status != http.StatusOK || !strings.Contains(body, `"authorizationUrl":"`+as.URL+`/enter","userCode":"WDJB-MJHT","expires":"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := postJSON(t, gateway+"/servers/guarded/auth", `{"device":7}`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
	inState(t, w, "guarded", "ready")
}
