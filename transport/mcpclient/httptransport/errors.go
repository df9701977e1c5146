package httptransport

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

// ErrTooLarge is the error of a request whose answer exceeds Options.Limit.
var ErrTooLarge = errors.New("the server's answer is too large")

// StatusError is the error of a request that was refused with an HTTP status. The request has
// reached the server.
type StatusError struct {
	Status     int
	Text       string        // text of the server; must be cleaned before it is shown
	RetryAfter time.Duration // 0 if the server names none
	Code       int           // code of the JSON-RPC error in the response; 0 if there is none
	Data       any           // data of that error
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answered HTTP %d %s", e.Status, http.StatusText(e.Status))
	if e.Text == "" {
		return text
	}
	return text + ": " + e.Text
}

// UnreachableError is the error of a request that was not sent because the server
// cannot be reached.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string {
	return "the server cannot be reached (" + e.Err.Error() + ")"
}
func (e *UnreachableError) Unwrap() error { return e.Err }

// InterruptedError is the error of a request whose answer broke off. It is unknown
// whether the server executed the request.
type InterruptedError struct {
	Err   error
	Early bool // the connection broke before the answer began, such as by the reset of an idle connection
}

func (e *InterruptedError) Error() string { return "the connection broke (" + e.Err.Error() + ")" }
func (e *InterruptedError) Unwrap() error { return e.Err }

// UnreadableError is the error of a request whose answer is not a message of MCP.
type UnreadableError struct {
	Text string // the beginning of the answer; must be cleaned before it is shown
	Why  string // the reason; empty if the text shows it
}

func (e *UnreadableError) Error() string {
	if e.Why == "" {
		return "the server's answer cannot be read"
	}
	return "the server's answer cannot be read, because " + e.Why
}

// Unreadable returns the error for an answer.
func Unreadable(answer []byte) *UnreadableError {
	return &UnreadableError{Text: string(answer[:min(len(answer), maxErrorDoc)])}
}

// SessionError means that the server no longer knows the session.
type SessionError struct {
	Session   string
	Untouched bool  // it is certain that the server did not execute the request
	Refusal   error // the error of status 401, which may be about the session or the credentials; nil if the session has certainly ended
}

func (e *SessionError) Error() string { return "the server has ended the session" }
func (e *SessionError) Unwrap() error { return e.Refusal }

// UnauthorizedError is the error of a request that was answered with status 401. The server did not
// execute the request.
type UnauthorizedError struct {
	Text string // text of the server; must be cleaned before it is shown
}

func (e *UnauthorizedError) Error() string {
	text := "the server asks for authorization (HTTP 401)"
	if e.Text == "" {
		return text
	}
	return text + ": " + e.Text
}

// explain classifies the error of a request. It removes the URL from the text of a url.Error,
// because the URL may contain secrets.
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
	return &InterruptedError{Err: err}
}

// tlsHint returns advice after a failed TLS handshake, and "" for other errors.
func tlsHint(err error) string {
	var (
		unknown  x509.UnknownAuthorityError
		host     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    *net.OpError
		mismatch = strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") // net/http has no type for this error
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
	case errors.As(err, &alert) && alert.Op == "remote error": // crypto/tls: the server sent an alert
		return "the server refused the TLS connection"
	default:
		return ""
	}
}
