package graphql_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/answers"
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
		_, got := answers.Open(t, graphql.Dialer{}.Dial, graphql.Settings{URL: endpoint.URL}, upstream.Config{Headers: map[string]string{"X-Key": "sesame-open-1234"}}, upstream.Events{})
		if got == nil || strings.Contains(got.Error(), "sesame") || !strings.Contains(got.Error(), "401 Unauthorized") {
			t.Errorf("%d bytes before it: %v", before, got)
		}
		endpoint.Close()
	}
}
