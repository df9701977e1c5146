package api

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
)

// AuthStart is the answer of POST /servers/:name/auth.
type AuthStart struct {
	AuthorizationURL string     `json:"authorizationUrl"`   // for the user's browser, within five minutes
	UserCode         string     `json:"userCode,omitempty"` // with device: the code that the user enters there
	Expires          *time.Time `json:"expires,omitempty"`  // with device: when the code expires
}

// beginAuth begins a login whose redirect leads to this gateway.
func (s *Server) beginAuth(x *exchange) error {
	name, err := x.param("name")
	if err != nil {
		return err
	}
	var asked struct{ Device bool }
	if len(x.body) > 0 {
		if err := decode(x.body, &asked); err != nil {
			return err
		}
	}
	if asked.Device {
		code, err := s.backend.BeginDeviceAuth(x.ctx, name)
		if err != nil {
			return err
		}
		return x.answer(http.StatusOK, AuthStart{code.URL, code.UserCode, &code.Ends})
	}
	address, err := s.backend.BeginAuth(x.ctx, name, s.BaseURL()+oauth.CallbackPath)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, AuthStart{AuthorizationURL: address})
}

// finishAuth answers the redirect of an authorization server. The request has no
// capability: its state, which has 256 bits and is valid once, replaces it. The answer
// is always a page.
func (s *Server) finishAuth(x *exchange) error {
	if x.method != fiber.MethodGet {
		return errMalformed // a HEAD would use up the state
	}
	// Authorization servers add parameters of their own, so all are accepted.
	query, err := url.ParseQuery(string(x.c.Context().URI().QueryString()))
	if err != nil {
		x.fault = invalid("the query string has a wrong escape sequence")
		return x.page(http.StatusBadRequest, oauth.Unsuccessful(oauth.ErrState))
	}
	server, err := s.backend.FinishAuth(x.ctx, query)
	if err != nil {
		x.fault = refusedLogin(err)
		return x.page(authStatus(err), oauth.Unsuccessful(err))
	}
	return x.page(http.StatusOK, oauth.Succeeded(server))
}

// authStatus returns the HTTP status of the page after a failed login. A refusal by the
// user or by the authorization server is not an error of the request.
func authStatus(err error) int {
	var denied *oauth.DeniedError
	switch {
	case errors.As(err, &denied):
		return http.StatusOK
	case errors.Is(err, oauth.ErrState), errors.Is(err, oauth.ErrCode):
		return http.StatusBadRequest
	case toolscript.KindOf(err) == toolscript.Internal:
		return http.StatusBadGateway // an error of the authorization server has no kind
	default:
		return statusOf(err)
	}
}

// refusedLogin gives the error of a login a kind for the log. Errors of an authorization
// server have no kind.
func refusedLogin(err error) error {
	if kind := toolscript.KindOf(err); kind != toolscript.Internal || isPanic(err) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Unauthorized, Err: err}
}

func isPanic(err error) bool {
	var traced stackTracer
	return errors.As(err, &traced)
}

func (x *exchange) page(status int, p oauth.Page) error {
	for name, value := range oauth.PageHeaders {
		x.c.Set(name, value)
	}
	return x.c.Status(status).Send(p.HTML())
}

// isCallback reports whether a request is the redirect of an authorization server. The
// browser marks it as a request from another site.
func isCallback(c *fiber.Ctx) bool {
	return c.Method() == fiber.MethodGet && c.Path() == oauth.CallbackPath
}
