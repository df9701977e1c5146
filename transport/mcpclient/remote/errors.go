package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// ErrTooLarge is the error of a request whose answer is over Options.Limit.
var ErrTooLarge = errors.New("the server's answer is too large")

// StatusError is a refusal: the server answered, and not with a message. The
// request has reached it.
type StatusError struct {
	Status     int
	Text       string        // of the server; not to be shown as it is
	RetryAfter time.Duration // 0 when the server names none
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answered HTTP %d %s", e.Status, http.StatusText(e.Status))
	if e.Text == "" {
		return text
	}
	return text + ": " + e.Text
}

// UnreachableError is the error of a request that was not sent, because there
// is no way to the server.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string {
	return "the server cannot be reached (" + e.Err.Error() + ")"
}
func (e *UnreachableError) Unwrap() error { return e.Err }

// InterruptedError is the error of a request whose answer broke off. Whether
// the server has carried it out is not known.
type InterruptedError struct{ Err error }

func (e *InterruptedError) Error() string { return "the connection broke (" + e.Err.Error() + ")" }
func (e *InterruptedError) Unwrap() error { return e.Err }

// SessionError says that the server does not know the session any more.
type SessionError struct {
	Session   string
	Untouched bool // the server has certainly not carried out the request
}

func (e *SessionError) Error() string { return "the server has ended the session" }

// UnauthorizedError is a 401 that nobody has answered with credentials. The
// request was not carried out.
type UnauthorizedError struct {
	Text string // of the server; not to be shown as it is
}

func (e *UnauthorizedError) Error() string {
	text := "the server asks for authorization (HTTP 401)"
	if e.Text == "" {
		return text
	}
	return text + ": " + e.Text
}

// explain finds what kind of error came of a request. It drops the address, in
// which secrets may stand, and which url.Error begins with.
func explain(err error) error {
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err
	}
	var known *toolscript.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if hint := tlsHint(err); hint != "" {
		return &UnreachableError{fmt.Errorf("%w: %s", err, hint)}
	}
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect") {
		return &UnreachableError{err}
	}
	return &InterruptedError{err}
}

// tlsHint says what to do about a failed TLS handshake; "" for other errors.
func tlsHint(err error) string {
	var (
		unknown  x509.UnknownAuthorityError
		host     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    *net.OpError
		mismatch = strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") // net/http has no type for it
	)
	switch {
	case errors.As(err, &unknown):
		return "if that is an authority of your own, name the file of its certificate in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS"
	case errors.As(err, &host):
		return "the address in .toolscript.json must name the host as the certificate does"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the server must be renewed, or the clock of this machine set"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "the certificate of the server cannot be used"
	case errors.As(err, &record), mismatch:
		return "the server does not speak TLS there; should the address begin with http://?"
	case errors.As(err, &alert) && alert.Op == "remote error": // crypto/tls: an alert of the server
		return "the server refused the TLS connection"
	default:
		return ""
	}
}
