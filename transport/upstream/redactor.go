package upstream

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/redact"
)

// Redactor replaces the secrets of a configuration by their names, in messages of servers, programs
// and APIs: servers do print their tokens, and their output is shown in states, logs and errors. The
// zero value replaces nothing.
type Redactor struct{ secrets *redact.Secrets }

// NewRedactor returns the Redactor of a configuration.
func NewRedactor(cfg Config) Redactor { return Redactor{redact.New(secrets(cfg))} }

// RedactorOf returns a Redactor of some secrets.
func RedactorOf(s *redact.Secrets) Redactor { return Redactor{s} }

// Text returns a text without the secrets. Shorten a text after this, not before: a part of a
// secret would remain.
func (c Redactor) Text(text string) string { return c.secrets.Replace(text) }

// Line makes a text of a server safe for a log: printable, and without the secrets and text that looks like a credential.
func (c Redactor) Line(text string) string { return redactText(c.Printable(text)) }

// Clean removes the same texts as Line, but does not shorten the text or join its lines.
func (c Redactor) Clean(text string) string { return redactText(c.Text(text)) }

// Error returns an error whose text has no secrets; nil for nil.
func (c Redactor) Error(err error) error {
	if c.secrets == nil || err == nil {
		return err
	}
	if known, ok := err.(*toolscript.Error); ok && known.Err != nil { //nolint:errorlint // the text of an error around it counts too
		quiet := *known
		quiet.Err = &redactedError{known.Err, c.Text(known.Err.Error())}
		return &quiet
	}
	return &redactedError{err, c.Text(err.Error())}
}

// redactedError wraps an error and replaces its text.
type redactedError struct {
	err  error
	text string
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }
