package egress_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/transport/egress"
)

// TestExtraCertificates: every request, also one of a login or an API, trusts the authorities of NODE_EXTRA_CA_CERTS.
func TestExtraCertificates(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	reach := func() error {
		client := http.Client{Transport: egress.NewGuard(egress.GuardOptions{Written: []*url.URL{at}})}
		defer client.CloseIdleConnections()
		answer, err := client.Get(server.URL)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	if reach() == nil {
		t.Error("the authority is known without the variable")
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NODE_EXTRA_CA_CERTS", file)
	if err := reach(); err != nil {
		t.Error(err)
	}
	t.Setenv("NODE_EXTRA_CA_CERTS", file+".missing")
	if _, err := egress.Roots(); err == nil {
		t.Error("a missing file is no error")
	}
}
