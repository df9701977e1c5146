package openapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/answers"
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
		settings := openapi.Settings{
			Spec:    answers.File(t, "api.json", document("3.0.0", `{"/x": {"get": {"operationId": "x", "responses": {"200": {"description": "ok"}}}}}`)),
			BaseURL: api.URL, Auth: upstream.HTTPAuth{Type: "bearer", Token: "sesame-open-1234"},
		}
		conn, err := answers.Open(t, openapi.Dialer{}.Dial, settings, upstream.Config{Secrets: map[string]string{"${secret:KEY}": "sesame-open-1234"}}, upstream.Events{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&scene{T: t, conn: conn}).try("x", `{}`)
		if err != nil || strings.Contains(got, "sesame") || !strings.Contains(got, "401 Unauthorized") {
			t.Errorf("%d bytes before it: %s, %v", before, got, err)
		}
		api.Close()
	}
}
