package egress

import (
	"crypto/x509"
	"fmt"
	"os"
	"sync"
	"time"
)

const extraCAs = "NODE_EXTRA_CA_CERTS"

// extra has the certificates of the last file that Roots has read: a pool has half a megabyte, and each server needs one.
var extra struct {
	sync.Mutex
	file  string
	time  time.Time
	size  int64
	roots *x509.CertPool
}

// Roots returns the certificates of the system together with those in the file that NODE_EXTRA_CA_CERTS names. Without
// that variable it returns nil, which means the certificates of the system. The error says why the file was ignored. The
// caller must not change the result.
func Roots() (*x509.CertPool, error) {
	file := os.Getenv(extraCAs)
	if file == "" {
		return nil, nil
	}
	extra.Lock()
	defer extra.Unlock()
	info, err := os.Stat(file) //nolint:gosec // the path comes from the user's environment
	if err == nil && extra.roots != nil && extra.file == file && extra.time.Equal(info.ModTime()) && extra.size == info.Size() {
		return extra.roots, nil
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
	if info != nil {
		extra.file, extra.time, extra.size, extra.roots = file, info.ModTime(), info.Size(), roots
	}
	return roots, nil
}
