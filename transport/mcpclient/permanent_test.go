package mcpclient_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Errors that a retry cannot fix are permanent and name the next step. Other errors are not permanent.
func TestPermanentCauses(t *testing.T) {
	status := func(code int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(code)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		config    upstream.Config
		permanent bool
		remedy    string
	}{
		"no such command":          {upstream.Config{Type: upstream.Stdio, Command: "no-such-command"}, true, "install it"},
		"no such program":          {upstream.Config{Type: upstream.Stdio, Command: "/no/such/program"}, true, `"command"`},
		"not executable":           {upstream.Config{Type: upstream.Stdio, Command: file}, true, "is it executable"},
		"no such folder":           {upstream.Config{Type: upstream.Stdio, Command: "sh", Dir: "/no/such/folder"}, true, `"cwd"`},
		"a server that ends":       {config(t, "exit=3"), false, ""},
		"HTTP 404":                 {upstream.Config{Type: upstream.HTTP, URL: status(http.StatusNotFound)}, true, `"url"`},
		"HTTP 404 of SSE":          {upstream.Config{Type: upstream.SSE, URL: status(http.StatusNotFound)}, true, `"url"`},
		"HTTP 403":                 {upstream.Config{Type: upstream.HTTP, URL: status(http.StatusForbidden)}, true, "credentials"},
		"a page of the web":        {upstream.Config{Type: upstream.HTTP, URL: status(http.StatusOK)}, true, `"url"`},
		"HTTP 503":                 {upstream.Config{Type: upstream.HTTP, URL: status(http.StatusServiceUnavailable)}, false, ""},
		"HTTP 429":                 {upstream.Config{Type: upstream.HTTP, URL: status(http.StatusTooManyRequests)}, false, ""},
		"no server at the address": {upstream.Config{Type: upstream.HTTP, URL: "http://127.0.0.1:1/"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", tt.config, upstream.Events{})
			var e *toolscript.Error
			if !errors.As(err, &e) || e.Permanent != tt.permanent {
				t.Fatalf("Dial = %+v, want permanent %v", e, tt.permanent)
			}
			wantText(t, "error", err.Error(), tt.remedy)
		})
	}
}
