package graphql_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestErrorsHaveNoSecrets: errors hide the credentials even if the endpoint repeats them.
func TestErrorsHaveNoSecrets(t *testing.T) {
	for _, before := range []int{0, 290} {
		endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(strings.Repeat("x", before) + r.Header.Get("X-Key")))
		}))
		text, err := json.Marshal(graphql.Settings{URL: endpoint.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, got := graphql.Dialer{}.Dial(t.Context(), "api", upstream.Config{
			Type: upstream.GraphQL, API: text, Timeout: time.Minute, Headers: map[string]string{"X-Key": "sesame-open-1234"},
		}, upstream.Events{})
		if got == nil || strings.Contains(got.Error(), "sesame") || !strings.Contains(got.Error(), "401 Unauthorized") {
			t.Errorf("%d bytes before it: %v", before, got)
		}
		endpoint.Close()
	}
}
