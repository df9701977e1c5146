//go:build unix

package oauth_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// TestAssertionFileIsAPipe: a pipe is an error. Opening it would wait for its writer without end, while the lock of
// the login is held.
func TestAssertionFileIsAPipe(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	path := filepath.Join(t.TempDir(), "token")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session(t, as, t.TempDir(), func(o *oauth.Options) {
		o.Config = oauth.Config{Grant: oauth.JWTBearer, AssertionFile: path, Issuer: as.URL}
	})
	if _, err := send(t, s, as, ping); err == nil || !strings.Contains(err.Error(), "oauth.assertionFile: "+path+" is not a regular file") {
		t.Errorf("error %v", err)
	}
}
