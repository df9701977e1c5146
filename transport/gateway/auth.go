package gateway

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
)

// AuthStart is the answer of POST /servers/:name/auth.
type AuthStart struct {
	AuthorizationURL string `json:"authorizationUrl"` // to be opened in a browser by the person who asked, within five minutes
}

// beginAuth begins a login that comes back to this gateway.
func (s *Server) beginAuth(x *exchange) error {
	name, err := x.param("name")
	if err != nil {
		return err
	}
	address, err := s.backend.BeginAuth(x.ctx, name, s.BaseURL()+oauth.CallbackPath)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, AuthStart{address})
}

// finishAuth answers the browser that comes back from an authorization server.
// It has no capability: the state in its query, 256 bits and good once, is what
// lets it in. Its answer is a page, also when it is an error.
func (s *Server) finishAuth(x *exchange) error {
	if x.method != fiber.MethodGet {
		return errMalformed // a HEAD would use the state up
	}
	// Authorization servers add parameters of their own, so all are let pass.
	query, err := url.ParseQuery(string(x.c.Context().URI().QueryString()))
	if err != nil {
		return x.page(http.StatusBadRequest, oauth.Unsuccessful(oauth.ErrState))
	}
	server, err := s.backend.FinishAuth(x.ctx, query)
	if err != nil {
		return x.page(authStatus(err), oauth.Unsuccessful(err))
	}
	return x.page(http.StatusOK, oauth.Succeeded(server))
}

// authStatus is the status of the page about a login that failed. That the
// person, or the authorization server, said no is no fault of the request.
func authStatus(err error) int {
	var denied *oauth.DeniedError
	switch {
	case errors.As(err, &denied):
		return http.StatusOK
	case errors.Is(err, oauth.ErrState), errors.Is(err, oauth.ErrCode):
		return http.StatusBadRequest
	case toolscript.KindOf(err) == toolscript.Internal:
		return http.StatusBadGateway // what the authorization server said has no kind
	default:
		return statusOf(toolscript.KindOf(err))
	}
}

func (x *exchange) page(status int, p oauth.Page) error {
	for name, value := range oauth.PageHeaders {
		x.c.Set(name, value)
	}
	return x.c.Status(status).Send(p.HTML())
}

// isCallback reports whether a request is a browser on its way back from an
// authorization server, which says that another site has sent it.
func isCallback(c *fiber.Ctx) bool {
	return c.Method() == fiber.MethodGet && c.Path() == oauth.CallbackPath
}
