package oauth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// A device asks for the token until the person has agreed or refused, or the code has expired. It asks at
// the interval that the server wants, and less often if the server asks for that or does not answer.
func TestDevice(t *testing.T) {
	const pending = "authorization_pending"
	for _, test := range []struct {
		name  string
		says  []string
		after time.Duration
		want  string // the error; "": none
	}{
		{"agreed at once", []string{""}, time.Second, ""},
		{"agreed later", []string{pending, pending, ""}, 3 * time.Second, ""},
		{"slower", []string{pending, "slow_down", pending, ""}, (1 + 1 + 6 + 6) * time.Second, ""},
		{"twice slower", []string{"slow_down", "slow_down", ""}, (1 + 6 + 11) * time.Second, ""},
		{"no answer for a while", []string{"down", "down", ""}, (1 + 2 + 4) * time.Second, ""},
		{"denied", []string{pending, "access_denied"}, 2 * time.Second, "access_denied"},
		{"expired at the server", []string{pending, "expired_token"}, 2 * time.Second, "the code has expired before it was entered"},
		{"expired here", []string{pending}, time.Minute, "the code has expired before it was entered"},
		{"never an answer", []string{"down"}, (1 + 2 + 4 + 8 + 16 + 32) * time.Second, "answers 503"},
		{"another refusal", []string{"invalid_scope"}, time.Second, "exchange the code of the device: the authorization server answers invalid_scope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{Device: test.says})
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, as, dir, nil)
				s.Via(inMemory(as.Handler))
				begun := time.Now()
				d, err := s.BeginDevice(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := oauth.DeviceCode{UserCode: "WDJB-MJHT", URL: as.URL + "/enter", WholeURL: as.URL + "/enter?code=WDJB-MJHT", Ends: begun.Add(time.Minute)}
				if code := d.Code(); code != want || s.Server() != "guarded" {
					t.Errorf("code %+v", code)
				}
				err = d.Wait(t.Context())
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("it ended after %s, want %s", took, test.after)
				}
				var denied *oauth.DeniedError
				if errors.As(err, &denied) != (test.want == "access_denied") {
					t.Errorf("error %v", err)
				}
				for _, secret := range as.Secrets() {
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("the error has a secret: %v", err)
					}
				}
				status := oauth.Failed
				if test.want == "" {
					status = oauth.Authenticated
					if got := serve(t, s, as); got != http.StatusOK {
						t.Errorf("a request with the token: %d", got)
					}
				}
				if got, _ := s.Status(); got != status {
					t.Errorf("status %q, want %q", got, status)
				}
			})
		})
	}
}

// Clients of every kind can log in on another device, over the network.
func TestDeviceOfEveryClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server oauthserver.Options
		config oauth.Config
	}{
		"registered without a secret":          {},
		"registered with a secret in a header": {server: oauthserver.Options{AuthMethod: "client_secret_basic"}},
		"registered with a secret in the body": {server: oauthserver.Options{AuthMethod: "client_secret_post"}},
		"no resource metadata":                 {server: oauthserver.Options{NoResourceMetadata: true}},
		"answers with a byte order mark":       {server: oauthserver.Options{Mark: true}},
		"odd answers":                          {server: oauthserver.Options{OddAnswers: true}},
		"a client of the configuration": {
			server: oauthserver.Options{NoRegistration: true, ClientID: "known", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"},
			config: oauth.Config{ClientID: "known", ClientSecret: "s3cret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each login waits a second before its first request for the token
			test.server.Device = []string{""}
			as := oauthserver.Start(t, test.server)
			if test.config.ClientSecret != "" {
				test.config.Issuer = as.URL
			}
			dir := t.TempDir()
			for range 2 { // the second login uses the client of the first one
				s := session(t, as, dir, func(o *oauth.Options) { o.Config = test.config })
				d, err := s.BeginDevice(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				mustSend(t, s, as)
			}
			if n := as.Count("register"); n > 1 {
				t.Errorf("%d clients were registered", n)
			}
		})
	}
}

func TestServerWithoutDevices(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	if _, err := session(t, as, t.TempDir(), nil).BeginDevice(t.Context()); !errors.Is(err, oauth.ErrNoDevice) || as.Count("register") != 0 {
		t.Errorf("error %v, %d registrations", err, as.Count("register"))
	}
}
