package oauth_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Log lines and errors of a login, a renewal and all their failures contain no secrets.
func TestLogsAndErrorsHaveNoSecrets(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{AuthMethod: "client_secret_basic"})
	var said kit.Buffer
	s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Logger = said.Logger() })
	say := func(what ...any) { _, _ = fmt.Fprintln(&said, what...) }

	_, err := send(t, s, as, ping)
	say(err)
	attempt, err := s.Begin(t.Context(), redirect)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(&said, "%v %+v\n", attempt.State(), attempt.State())
	query := as.Agree(t, attempt.URL()).Query()
	for _, wrong := range []url.Values{with(query, "state", "x"), with(query, "iss", "https://evil.example"), with(query, "error", "denied")} {
		err := attempt.Finish(t.Context(), wrong)
		say(err, string(oauth.Unsuccessful(err).HTML()))
	}
	as.Deny(func(r *http.Request) (int, string) { // a server that repeats the request in its answer
		text, _ := json.Marshal(map[string]string{
			"error":             "invalid_grant",
			"error_description": strings.Join([]string{r.PostForm.Get("code"), r.PostForm.Get("code_verifier")}, " "),
		})
		return http.StatusBadRequest, string(text)
	})
	spent, err := s.Begin(t.Context(), redirect)
	if err != nil {
		t.Fatal(err)
	}
	err = spent.Finish(t.Context(), as.Agree(t, spent.URL()).Query())
	say(err, string(oauth.Unsuccessful(err).HTML()))
	as.Deny(nil)
	login(t, s, as)
	mustSend(t, s, as)
	say(string(oauth.Succeeded("guarded").HTML()))
	say(s.Status())
	as.Deny(func(*http.Request) (int, string) { return http.StatusBadRequest, `{"error":"invalid_grant"}` })
	as.Revoke(true)
	_, err = send(t, s, as, ping)
	say(err)
	say(s.Status())

	secrets := as.Secrets()
	if len(secrets) < 8 {
		t.Fatalf("only %d secrets were seen", len(secrets))
	}
	text := said.String()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("a secret was said: %q in\n%s", secret, text)
		}
	}
}

func TestSecretsHideThemselves(t *testing.T) {
	c := oauth.Credentials{Token: oauth.Token{Access: "AAA", Refresh: "BBB"}, Client: oauth.Client{Secret: "CCC"}}
	config := oauth.Config{ClientSecret: "DDD", PrivateKey: "EEE"}
	encoded, err := json.Marshal(struct {
		oauth.Credentials
		Config oauth.Config
	}{c, config})
	if err != nil {
		t.Fatal(err)
	}
	var said kit.Buffer
	said.Logger().Info("test", slog.Any("token", c.Token.Access), slog.Any("config", config))
	text := fmt.Sprintf("%v %+v %#v %s %v %+v %#v %s %s", c, c, c, c.Token.Access, config, config, config, encoded, said.String())
	for _, secret := range []string{"AAA", "BBB", "CCC", "DDD", "EEE"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s in %s", secret, text)
		}
	}
}

func TestPageEscapesAndLoadsNothing(t *testing.T) {
	page := string(oauth.Unsuccessful(&oauth.DeniedError{Code: `<script>alert(1)</script>`, Description: `"><img src=https://evil.example>`}).HTML())
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") {
		t.Errorf("not escaped:\n%s", page)
	}
	for _, external := range []string{"src=", "href=", "url(", "@import", "<link"} {
		if strings.Contains(string(oauth.Succeeded("x").HTML()), external) {
			t.Errorf("the page has %s", external)
		}
	}
}
