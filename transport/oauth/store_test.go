package oauth_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), time.Minute)
}

func TestStoreKeepsServersApart(t *testing.T) {
	s := oauth.Store{Dir: filepath.Join(t.TempDir(), "oauth")}
	names := []string{"a.b", "a_b", "a/b", "../a_b"}
	for _, name := range names {
		if err := s.Save(name, oauth.Credentials{Token: oauth.Token{Access: oauth.Secret("token of " + name)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		c, err := s.Load(name)
		if err != nil || string(c.Token.Access) != "token of "+name {
			t.Errorf("%s: %q, %v", name, string(c.Token.Access), err)
		}
	}
	if s.Path("a.b") != filepath.Join(s.Dir, "a_b.json") {
		t.Errorf("the first has the file %s", s.Path("a.b"))
	}
	if _, err := s.Delete("a.b"); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Load("a_b"); err != nil || string(c.Token.Access) != "token of a_b" {
		t.Errorf("a_b after the end of a.b: %q, %v", string(c.Token.Access), err)
	}
}

func TestStoreIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "oauth")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := oauth.Store{Dir: dir}
	unlock, err := s.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := s.Save("x", oauth.Credentials{Token: oauth.Token{Access: "t"}}); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		info, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
}

func TestStoreRoundTrip(t *testing.T) {
	s := oauth.Store{Dir: t.TempDir()}
	want := oauth.Credentials{
		Server: "x", URL: "https://x.example/mcp", Issuer: "https://as.example", TokenEndpoint: "https://as.example/token",
		Resource: "https://x.example/mcp", Login: time.UnixMilli(1_700_000_000_123), Wanted: []string{"b"}, Failure: "f",
		Client: oauth.Client{ID: "c", Secret: "s", AuthMethod: "none", RedirectURIs: []string{"http://127.0.0.1/cb"}, Source: oauth.Dynamic},
		Token: oauth.Token{
			Access: "a", Type: "Bearer", Refresh: "r", Scope: "one two",
			Expires: time.UnixMilli(1_700_000_005_000), Lifetime: 5 * time.Second,
		},
	}
	if err := s.Save("x", want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load("x")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTokensAreForOneServerOnly(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	other := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	login(t, session(t, as, dir, nil), as)
	s := session(t, other, dir, nil) // a server with the same name and another URL
	if _, err := send(t, s, other, ping); err == nil {
		t.Error("the other server let us in")
	}
	if n := other.Count("refresh_token"); n != 0 {
		t.Error("the other server was shown the refresh token")
	}
}

func FuzzStoredFile(f *testing.F) {
	f.Add([]byte(`{"tokens":{"access_token":"a","expires_in":5}}`))
	f.Add([]byte(`{"serverName":"x","clientInformation":null,"tokens":{"expires_at":-1}}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		s := oauth.Store{Dir: dir}
		if err := os.WriteFile(filepath.Join(dir, "x.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := s.Load("x")
		if err != nil {
			return
		}
		c.Server = ""
		if err := s.Save("x", c); err != nil {
			t.Fatal(err)
		}
		again, err := s.Load("x")
		if err != nil {
			t.Fatal(err)
		}
		again.Server = ""
		if again.Token.Access != c.Token.Access || again.Client.ID != c.Client.ID || again.URL != c.URL {
			t.Errorf("saved %+v, loaded %+v", c, again)
		}
	})
}
