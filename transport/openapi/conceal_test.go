package openapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestErrorsHaveNoSecrets: errors hide the credentials of a request even if the API repeats them, and
// even where the error cuts the API's answer.
func TestErrorsHaveNoSecrets(t *testing.T) {
	for _, before := range []int{0, 1983, 1990, 1999} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(strings.Repeat("x", before) + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		}))
		file := filepath.Join(t.TempDir(), "api.json")
		if err := os.WriteFile(file, []byte(document("3.0.0", `{"/x": {"get": {"operationId": "x", "responses": {"200": {"description": "ok"}}}}}`)), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(openapi.Settings{Spec: file, BaseURL: api.URL, Auth: upstream.HTTPAuth{Type: "bearer", Token: "sesame-open-1234"}})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := openapi.Dialer{}.Dial(t.Context(), "api", upstream.Config{
			Type: upstream.OpenAPI, API: text, Timeout: time.Minute, Secrets: map[string]string{"${secret:KEY}": "sesame-open-1234"},
		}, upstream.Events{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&scene{T: t, conn: conn}).try("x", `{}`)
		if err != nil || strings.Contains(got, "sesame") || !strings.Contains(got, "401 Unauthorized") {
			t.Errorf("%d bytes before it: %s, %v", before, got, err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		api.Close()
	}
}
