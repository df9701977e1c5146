package oauth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// TestMain replaces the keyring, so that the tests do not use that of the user.
func TestMain(m *testing.M) {
	keyring.MockInit()
	os.Exit(m.Run())
}

func inKeyring(o *oauth.Options) { o.Config.Storage = oauth.StorageKeyring }

func TestKeyring(t *testing.T) {
	keyring.MockInit()
	as := oauthserver.Start(t, oauthserver.Options{AuthMethod: "client_secret_basic"})
	dir := t.TempDir()
	login(t, session(t, as, dir, inKeyring), as)
	file := filepath.Join(dir, "guarded.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range as.Secrets() {
		if strings.Contains(string(text), secret) {
			t.Errorf("the file has a secret:\n%s", text)
		}
	}
	item, err := keyring.Get("toolscript", file)
	if err != nil || strings.Count(item, ":") != 3 {
		t.Errorf("the keyring has %d entries, %v; want two tokens and a client's secret", strings.Count(item, ":"), err)
	}
	other := session(t, as, dir, inKeyring) // as in another process
	mustSend(t, other, as)
	if err := os.WriteFile(file, expired(t, file), 0o600); err != nil {
		t.Fatal(err)
	}
	mustSend(t, other, as)
	if n := as.Count("refresh_token"); n != 1 {
		t.Errorf("%d renewals, want 1", n)
	}
	if ended, err := other.Forget(t.Context()); err != nil || !ended.Revoked {
		t.Errorf("Forget = %+v, %v", ended, err)
	}
	if _, err := keyring.Get("toolscript", file); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the item is still there: %v", err)
	}
}

// A changed storage is used from the next login or renewal on. The tokens are removed from the old storage.
func TestStorageIsChanged(t *testing.T) {
	keyring.MockInit()
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	file := filepath.Join(dir, "guarded.json")
	inFile := func() bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "refresh_token")
	}
	for _, callKeyring := range []bool{false, true, false} {
		s := session(t, as, dir, func(o *oauth.Options) {
			if callKeyring {
				inKeyring(o)
			}
		})
		login(t, s, as)
		_, err := keyring.Get("toolscript", file)
		if inFile() == callKeyring || (err == nil) != callKeyring {
			t.Errorf("storage in the keyring %v: in the file %v, in the keyring %v", callKeyring, inFile(), err)
		}
	}
}

func TestMissingKeyringItem(t *testing.T) {
	keyring.MockInit()
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	login(t, session(t, as, dir, inKeyring), as)
	keyring.MockInit() // an empty keyring
	s := session(t, as, dir, inKeyring)
	if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unauthorized {
		t.Errorf("got %v", err)
	}
	login(t, s, as)
	mustSend(t, s, as)
}

func TestNoKeyring(t *testing.T) {
	keyring.MockInit()
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s := session(t, as, dir, inKeyring)
	attempt, err := s.Begin(t.Context(), redirect)
	if err != nil {
		t.Fatal(err)
	}
	keyring.MockInitWithError(errors.New("no bus"))
	t.Cleanup(keyring.MockInit)
	err = attempt.Finish(t.Context(), as.Agree(t, attempt.URL()).Query())
	if err == nil || !strings.Contains(err.Error(), "no bus") || !strings.Contains(err.Error(), `set oauth.storage to "file"`) {
		t.Errorf("got %v", err)
	}
	if entries, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(entries) > 0 {
		t.Errorf("files %q, %v", entries, err)
	}
}
