package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
)

// connectTime bounds the connection to one server of a cluster.
const connectTime = 5 * time.Second

// DefaultUser is the name of a gateway in subjects if the configuration names none.
const DefaultUser = "gateway"

// Address is the NATS cluster of a fleet, and how to log in there. It may contain secrets.
type Address struct {
	URL         string // one or several NATS servers, separated by commas; may contain a user, a password or a token
	Credentials string // file with a JWT and its NKey, or with the seed of an NKey; "" if there is none
	CA          string // file with certificates of authorities in PEM form; "": the system's certificates
	Cert, Key   string // files of the client's certificate in PEM form; "" if there is none
	User        string // name of gateways in subjects; "": DefaultUser. The permissions of the credentials may require it
}

// String returns the URL without secrets.
func (a Address) String() string { return Redact(a.URL) }

// GoString keeps secrets out of %#v.
func (a Address) GoString() string { return a.String() }

// LogValue keeps secrets out of the log.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// Name returns User, or DefaultUser if it is empty.
func (a Address) Name() string { return cmp.Or(a.User, DefaultUser) }

// Redact removes users, passwords and tokens from a list of addresses.
func Redact(addresses string) string {
	all := strings.Split(addresses, ",")
	for i, one := range all {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(one), "://")
		if rest == "" {
			scheme, rest = "nats", scheme
		}
		all[i] = scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return strings.Join(all, ",")
}

// Connect connects to the cluster. The error has the kind Invalid if a file of the address
// cannot be used, and Unavailable if the cluster cannot be reached or refuses the
// credentials. It contains no secret.
func Connect(ctx context.Context, a Address, o ...nats.Option) (*nats.Conn, error) {
	login, err := a.options()
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	timeout := connectTime
	if until, ok := ctx.Deadline(); ok {
		timeout = max(min(timeout, time.Until(until)), time.Millisecond)
	}
	nc, err := nats.Connect(a.URL, append(append(login, nats.Timeout(timeout)), o...)...)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: time.Second, Err: a.explain(err)}
	}
	return nc, nil
}

// Dialer returns a function that connects to the current address at each call.
func Dialer(address func() Address) func(context.Context, ...nats.Option) (*nats.Conn, error) {
	return func(ctx context.Context, o ...nats.Option) (*nats.Conn, error) { return Connect(ctx, address(), o...) }
}

// explain returns the error of an attempt to connect. Errors of package url contain the
// address, which may contain a password.
func (a Address) explain(err error) error {
	var parsing *url.Error
	switch {
	case errors.As(err, &parsing):
		return fmt.Errorf("the address of the fleet cannot be read: %w", parsing.Err)
	case Refused(err):
		return fmt.Errorf("the fleet at %s refuses the credentials: %w; check \"credentials\" and \"url\" of \"fleet\"", a, err)
	}
	return fmt.Errorf("the fleet at %s cannot be reached: %w; check \"url\" and \"tls\" of \"fleet\"", a, err)
}

// Refused reports whether the cluster has refused the credentials.
func Refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked)
}

// options returns the options for the login and for TLS.
func (a Address) options() ([]nats.Option, error) {
	if a.URL == "" {
		return nil, errors.New(`"fleet" has no "url"`)
	}
	var o []nats.Option
	if a.Credentials != "" {
		text, err := os.ReadFile(a.Credentials)
		if err != nil {
			return nil, fmt.Errorf("credentials of the fleet: %w", err)
		}
		if strings.Contains(string(text), "BEGIN NATS USER JWT") {
			o = append(o, nats.UserCredentials(a.Credentials))
		} else {
			seed, err := nats.NkeyOptionFromSeed(a.Credentials)
			if err != nil {
				return nil, fmt.Errorf("credentials of the fleet: %s has neither a JWT nor the seed of an NKey: %w", a.Credentials, err)
			}
			o = append(o, seed)
		}
	}
	if a.CA != "" {
		o = append(o, nats.RootCAs(a.CA))
	}
	if (a.Cert == "") != (a.Key == "") {
		return nil, errors.New(`"tls" of the fleet needs both "cert" and "key", or neither`)
	}
	if a.Cert != "" {
		o = append(o, nats.ClientCert(a.Cert, a.Key))
	}
	for _, option := range o {
		if err := option(&nats.Options{}); err != nil {
			return nil, fmt.Errorf("files of the fleet: %w", err)
		}
	}
	return o, nil
}
