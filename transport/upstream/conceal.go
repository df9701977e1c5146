package upstream

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/redact"
)

// Concealer replaces the secrets of a configuration by their names, in messages of servers, programs
// and APIs: servers do print their tokens, and their output is shown in states, logs and errors. The
// zero value replaces nothing.
type Concealer struct{ secrets *redact.Secrets }

// NewConcealer returns the Concealer of a configuration.
func NewConcealer(cfg Config) Concealer { return Concealer{redact.New(secrets(cfg))} }

// ConcealerOf returns a Concealer of some secrets.
func ConcealerOf(s *redact.Secrets) Concealer { return Concealer{s} }

// Text returns a text without the secrets. Shorten a text after this, not before: a part of a
// secret would remain.
func (c Concealer) Text(text string) string { return c.secrets.Replace(text) }

// Line makes a text of a server safe for a log: printable, and without the secrets and text that looks like a credential.
func (c Concealer) Line(text string) string { return redactText(c.Printable(text)) }

// Clean removes the same texts as Line, but does not shorten the text or join its lines.
func (c Concealer) Clean(text string) string { return redactText(c.Text(text)) }

// Error returns an error whose text has no secrets; nil for nil.
func (c Concealer) Error(err error) error {
	if c.secrets == nil || err == nil {
		return err
	}
	if known, ok := err.(*toolscript.Error); ok && known.Err != nil { //nolint:errorlint // the text of an error around it counts too
		quiet := *known
		quiet.Err = &concealed{known.Err, c.Text(known.Err.Error())}
		return &quiet
	}
	return &concealed{err, c.Text(err.Error())}
}

// concealed wraps an error and replaces its text.
type concealed struct {
	err  error
	text string
}

func (e *concealed) Error() string { return e.text }
func (e *concealed) Unwrap() error { return e.err }
