package oauth

import (
	"net/http"
	"testing"
)

// TestBoundChallenges: a server that also accepts bearer tokens does not require tokens that are bound to a key.
func TestBoundChallenges(t *testing.T) {
	for _, test := range []struct {
		headers      []string
		bound, nonce bool
	}{
		{[]string{`Bearer`}, false, false},
		{[]string{`DPoP algs="ES256"`}, true, false},
		{[]string{`DPoP error="use_dpop_nonce"`}, true, true},
		{[]string{`Bearer realm="a"`, `DPoP algs="ES256"`}, false, false},
		{[]string{`DPoP algs="ES256", Bearer realm="a"`}, false, false},
		{nil, false, false},
	} {
		c, asked := challengeOf(&http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": test.headers}})
		if !asked || c.bound != test.bound || c.nonce != test.nonce {
			t.Errorf("%q: %+v, %t", test.headers, c, asked)
		}
	}
}
