package setup

import (
	"testing"

	"github.com/toolscript/toolscript/cmd/secrets"
)

// TestSecretNames: a secret of any bundle has a name that the secret store takes.
func TestSecretNames(t *testing.T) {
	for server, want := range map[string]string{"good": "GOOD_API_KEY", "7zip": "X7ZIP_API_KEY", "名": "API_KEY", "_": "API_KEY"} {
		got := secretName(server, "api-key")
		if err := secrets.CheckName(got); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", server, got, err, want)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		version, bounds string
		want            bool
	}{
		{"v22.1.0", "<=22", true},
		{"v22.1.0", ">22", false},
		{"v22.1.0", "<22", false},
		{"v22.1.0", "=22", true},
		{"v22", ">=22.1", false},
		{"3.8.0", "<=3.8", true},
		{"3.8.1", ">=3.8,<4", true},
		{"4.0.0", ">=3.8,<4", false},
		{"2.0.0", "^3", true}, // another form is not checked
	} {
		if got := fits(c.version, c.bounds); got != c.want {
			t.Errorf("fits(%q, %q) = %v, want %v", c.version, c.bounds, got, c.want)
		}
	}
}
