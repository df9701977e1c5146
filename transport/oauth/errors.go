package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/toolscript/toolscript"
)

// LoginError says that a person has to log in at a server, or again, before its
// tools can be called.
type LoginError struct {
	Server string
	Scopes []string // of a login that lacks them; nil when there is none
	Reason string   // why an earlier login ended, "" when nothing is known
}

func (e *LoginError) Error() string {
	command := "run: toolscript auth " + quoted(e.Server)
	switch {
	case len(e.Scopes) > 0:
		return fmt.Sprintf("%s needs authorization for more (%s); %s", e.Server, strings.Join(e.Scopes, " "), command)
	case e.Reason != "":
		return fmt.Sprintf("%s needs authorization again (%s); %s", e.Server, e.Reason, command)
	default:
		return fmt.Sprintf("%s needs authorization; %s", e.Server, command)
	}
}

// quoted is a server's name as a shell takes it.
func quoted(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// needsLogin is the error of a request that a person has to help with. Scopes
// that are missing concern this request alone, no login concerns all: the kinds
// keep the two apart.
func (s *Session) needsLogin(c challenge, reason string) error {
	e := &LoginError{Server: s.name, Reason: printableText(reason)}
	kind := toolscript.Unauthorized
	if c.forbidden {
		kind = toolscript.Forbidden
		e.Scopes = c.scopes
	}
	return &toolscript.Error{Kind: kind, Server: s.name, Err: e}
}

// failed classes what went wrong between us and the authorization server.
func (s *Session) failed(err error) error {
	var refused *refusal
	kind := toolscript.Unavailable
	if errors.As(err, &refused) {
		kind = toolscript.Unauthorized
	}
	return &toolscript.Error{Kind: kind, Server: s.name, Err: err}
}

// refusal is an error that an authorization server answered with (RFC 6749 5.2),
// by its code and its description alone: the rest of an answer may hold anything.
type refusal struct{ code, description string }

func (r *refusal) Error() string {
	text := "the authorization server answers " + printableText(r.code)
	if r.description != "" {
		text += " (" + printableText(r.description) + ")"
	}
	return text
}

// tokenError is an error of a token endpoint without the answer in it.
func tokenError(err error) error {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) {
		return printable(err)
	}
	if answered.ErrorCode == "" || answered.Response != nil && answered.Response.StatusCode >= 500 {
		status := "no token"
		if answered.Response != nil {
			status = answered.Response.Status
		}
		return fmt.Errorf("the authorization server answers %s", printableText(status))
	}
	return &refusal{answered.ErrorCode, answered.ErrorDescription}
}

// printable is an error without the query of the URL that it may be about.
func printable(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return fmt.Errorf("%s: %w", plainText(about.URL), about.Err)
	}
	return err
}

// maxShown bounds what is shown of a text of somebody else.
const maxShown = 300

// printableText is a text of somebody else in one line, and not all of a long one.
func printableText(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	return text
}
