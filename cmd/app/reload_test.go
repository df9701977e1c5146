package app

import (
	"strings"
	"testing"
)

// TestReloadNamesNoSecret: the error of a gateway that does not answer has a command, without the secret in the address.
func TestReloadNamesNoSecret(t *testing.T) {
	err := new(App).reloadAll(t.Context(), []string{"http://127.0.0.1:1/the-secret"})
	if err == nil || !strings.Contains(err.Error(), "gateway reload -g http://127.0.0.1:1") || strings.Contains(err.Error(), "the-secret") {
		t.Errorf("got %v", err)
	}
}
