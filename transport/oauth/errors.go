package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/toolscript/toolscript"
)

// LoginError reports that a person must log in at a server before its tools can be
// called.
type LoginError struct {
	Server string
	Scopes []string  // scopes that the login lacks; nil without a login
	Reason string    // why an earlier login failed or ended, "" if unknown
	At     time.Time // time of that failure or end; zero if unknown
	Issuer string    // authorization server that a person must confirm first; "" if none
	Plain  bool      // the server does not use OAuth2, so a login does not help
}

func (e *LoginError) Error() string {
	command := "run: " + toolscript.Command("auth", e.Server)
	switch {
	case e.Issuer != "":
		return fmt.Sprintf("%s needs a confirmation: it names the authorization server %s, which gets the secret of the client only once you have confirmed it; %s, or set oauth.issuer",
			e.Server, plainText(e.Issuer), command)
	case e.Plain:
		return fmt.Sprintf("%s answers 401 and describes no OAuth2; correct or add its credentials in the configuration, such as a key in \"headers\"", e.Server)
	case e.Reason != "" && !e.At.IsZero():
		return fmt.Sprintf("%s needs authorization again (%s, at %s); %s", e.Server, e.Reason, e.At.Format(time.DateTime), command)
	case len(e.Scopes) > 0:
		return fmt.Sprintf("%s needs authorization for more (%s); %s", e.Server, strings.Join(e.Scopes, " "), command)
	case e.Reason != "":
		return fmt.Sprintf("%s needs authorization again (%s); %s", e.Server, e.Reason, command)
	default:
		return fmt.Sprintf("%s needs authorization; %s", e.Server, command)
	}
}

// needsLogin returns the error for a request that needs a login. The kind is Forbidden for missing
// scopes, which only concern this request, and Unauthorized for a missing login, which concerns all
// requests.
func (s *Session) needsLogin(c challenge, reason string) error {
	e := &LoginError{Server: s.name, Reason: printableText(reason)}
	if failure, at := s.Failure(); failure == reason {
		e.At = at
	}
	kind := toolscript.Unauthorized
	if c.forbidden {
		kind = toolscript.Forbidden
		e.Scopes = c.scopes
	}
	return &toolscript.Error{Kind: kind, Server: s.name, Err: e}
}

// failed adds a kind to the error of a request to the authorization server.
func (s *Session) failed(err error) error {
	var classed *toolscript.Error
	if errors.As(err, &classed) {
		return classed
	}
	kind := toolscript.Unavailable
	if finalRefusal(err) != nil {
		kind = toolscript.Unauthorized
	}
	return &toolscript.Error{Kind: kind, Server: s.name, Err: err}
}

// refusal is an error answer of an authorization server (RFC 6749 5.2). It keeps only the code, the
// description and the status, because other parts may contain secrets.
type refusal struct {
	code, description string
	status            int // of HTTP; 0: unknown
}

// finalRefusal returns the refusal in an error, or nil if there is none or if the same request may succeed later.
func finalRefusal(err error) *refusal {
	var r *refusal
	if !errors.As(err, &r) {
		return nil
	}
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return nil
	}
	switch r.code {
	case "temporarily_unavailable", "server_error", "slow_down":
		return nil
	}
	return r
}

func (r *refusal) Error() string {
	text := "the authorization server answers " + printableText(r.code)
	if r.description != "" {
		text += " (" + printableText(r.description) + ")"
	}
	return text
}

// tokenError removes the body of the answer from an error of a token endpoint.
func tokenError(err error) error {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) {
		return printable(err)
	}
	status, code := "no token", 0
	if answered.Response != nil {
		status, code = answered.Response.Status, answered.Response.StatusCode
	}
	if answered.ErrorCode == "" || code >= 500 {
		return fmt.Errorf("the authorization server answers %s", printableText(status))
	}
	return &refusal{answered.ErrorCode, answered.ErrorDescription, code}
}

// printable removes the query of the URL from an error.
func printable(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return fmt.Errorf("%s: %w", plainText(about.URL), about.Err)
	}
	return err
}

// maxShown bounds the texts of servers in errors, in bytes.
const maxShown = 300

// printableText returns a text of a server on one line, cut if it is long.
func printableText(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || toolscript.Hidden(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown]) + "…"
	}
	return text
}
