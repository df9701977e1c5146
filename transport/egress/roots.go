package egress

import (
	"crypto/x509"
	"fmt"
	"os"
)

const extraCAs = "NODE_EXTRA_CA_CERTS"

// Roots returns the certificates of the system together with those in the file that NODE_EXTRA_CA_CERTS names. Without
// that variable it returns nil, which means the certificates of the system. The error says why the file was ignored.
func Roots() (*x509.CertPool, error) {
	file := os.Getenv(extraCAs)
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the path comes from the user's environment
	if err != nil {
		return nil, fmt.Errorf("the certificates of %s are not used: %w", extraCAs, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the certificates of %s are not used: those of the system cannot be read: %w", extraCAs, err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the certificates of %s are not used: %s holds none in PEM form", extraCAs, file)
	}
	return roots, nil
}
