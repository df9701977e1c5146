package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

// The routes of the operator page are below dashboardPath. There, a session replaces the
// capability: the path contains its id, and its cookie is limited to that path.
const (
	dashboardPath   = "/dashboard/"
	dashboardCookie = "toolscript"
)

const (
	pageHeader  = "Toolscript-Page"  // a page of another site cannot send it without a preflight request
	proofHeader = "Toolscript-Proof" // the proof of the session, see answerOnPage
)

// LinkRequest is the body of POST /dashboard.
type LinkRequest struct {
	PID   int  `json:"pid,omitempty"`   // process at whose terminal the link may be shown; 0: at no terminal
	Print bool `json:"print,omitempty"` // show the link at the terminal, and open no browser
}

// LinkShown is the answer of POST /dashboard.
type LinkShown struct {
	Shown string `json:"shown"` // ShownBrowser or ShownTerminal
}

// Places where a link was shown, see LinkShown.
const (
	ShownBrowser  = "browser"
	ShownTerminal = "terminal"
)

var (
	errNoPage  = &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("this gateway has no operator page")}
	errSession = &toolscript.Error{
		Kind: toolscript.Unauthorized,
		Err:  errors.New("the session of this page has ended, because the gateway was restarted or many pages were opened"),
		Next: "run: toolscript dashboard",
	}
	errNotPage = &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("only the operator page itself may send this request")}
)

// makeLink answers POST /dashboard. It shows a new link to the person. The answer does not
// contain the link, because everybody with the capability could read that.
func (s *Server) makeLink(x *exchange) error {
	var by LinkRequest
	if err := decode(x.body, &by); err != nil {
		return err
	}
	if s.showLink == nil {
		return errNoPage
	}
	shown, err := s.showLink(x.ctx, s.BaseURL()+dashboardPath+"open/"+s.pages.NewLink(), by)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, LinkShown{shown})
}

// openLink answers GET /dashboard/open/:link by opening a session and redirecting to its
// page. A prefetch by the browser must not use up the link.
func (s *Server) openLink(x *exchange) error {
	if x.method != fiber.MethodGet {
		return errMalformed
	}
	if x.c.Get("Sec-Purpose") != "" || x.c.Get("Purpose") != "" {
		return errNotPage
	}
	session, ok := s.pages.Open(x.c.Params("link"))
	if !ok {
		return x.notice(http.StatusForbidden, "This link does not work any more",
			"A link to the operator page works once, within two minutes.")
	}
	path := dashboardPath + session.ID
	x.c.Cookie(&fiber.Cookie{Name: dashboardCookie, Value: session.Cookie, Path: path, HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode, SessionOnly: true})
	x.c.Set(fiber.HeaderCacheControl, "no-store")
	x.c.Set("Referrer-Policy", "no-referrer")
	return x.c.Redirect(path, http.StatusSeeOther)
}

// pageIndex answers GET /dashboard/:session.
func (s *Server) pageIndex(x *exchange) error {
	if _, ok := s.session(x); !ok {
		return x.notice(http.StatusUnauthorized, "This page has ended",
			"It belonged to a gateway that has ended or was restarted, or to another browser.")
	}
	x.c.Set(fiber.HeaderCacheControl, "no-store")
	return x.file(PageIndex())
}

// pageAsset answers GET /dashboard/assets/:file. The files are the same in every copy of
// the program, so they need no session.
func (s *Server) pageAsset(x *exchange) error {
	file, ok := PageAsset(x.c.Params("file"))
	if !ok {
		return errNoRoute
	}
	x.c.Set(fiber.HeaderCacheControl, "no-cache")
	x.c.Set(fiber.HeaderETag, file.ETag)
	if x.c.Get(fiber.HeaderIfNoneMatch) == file.ETag {
		x.c.Status(http.StatusNotModified)
		return nil
	}
	return x.file(file)
}

func (x *exchange) file(f PageFile) error {
	for name, value := range PageHeaders {
		x.c.Set(name, value)
	}
	x.c.Set(fiber.HeaderContentType, f.Type)
	x.c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if acceptsGzip(x.c.Get(fiber.HeaderAcceptEncoding)) {
		x.c.Set(fiber.HeaderContentEncoding, "gzip")
		return x.c.Send(f.Gzip)
	}
	return x.c.Send(f.Text)
}

// notice answers with a page that says what happened and which command to run.
func (x *exchange) notice(status int, title, text string) error {
	for name, value := range PageHeaders {
		x.c.Set(name, value)
	}
	x.c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	x.c.Set(fiber.HeaderCacheControl, "no-store")
	return x.c.Status(status).Send(PageNotice(title, text, "toolscript dashboard"))
}

// onPage returns serve as a route of the operator page, which needs a session. A POST also
// needs an Origin header, whose value guard has checked, and the header of the page.
func (s *Server) onPage(serve func(*exchange) error) func(*exchange) error {
	return func(x *exchange) error {
		if _, ok := s.session(x); !ok {
			return errSession
		}
		if x.method == fiber.MethodPost && (x.c.Get(fiber.HeaderOrigin) == "" || x.c.Get(pageHeader) == "") {
			return errNotPage
		}
		return serve(x)
	}
}

// session returns the session of a request of the operator page.
func (s *Server) session(x *exchange) (PageSession, bool) {
	return s.sessionOf(x.c.Path(), &x.c.Request().Header)
}

func (s *Server) sessionOf(path string, h *fasthttp.RequestHeader) (PageSession, bool) {
	rest, ok := strings.CutPrefix(path, dashboardPath)
	if !ok {
		return PageSession{}, false
	}
	id, _, _ := strings.Cut(rest, "/")
	return s.pages.Find(id, string(h.Cookie(dashboardCookie)))
}

// isPageFile reports whether a request needs no session: its answer is public, or says
// that the session has ended.
func isPageFile(c *fiber.Ctx) bool {
	return strings.HasPrefix(c.Path(), dashboardPath) && (c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead)
}

// PageProof is the answer to the operator page after it has sent the code of a request for approval.
type PageProof struct {
	Proof string `json:"proof"` // approves later requests when sent in the header Toolscript-Proof
}

// answerOnPage answers POST /dashboard/:session/approvals/:id. The first answer of a page
// that allows a call needs the code of the request. The code proves that a person uses the
// page, so the answer holds a proof for later requests. The page keeps the proof out of
// cookies and of the reach of other origins.
func (s *Server) answerOnPage(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	var answer toolscript.ApprovalAnswer
	if err := decode(x.body, &answer); err != nil {
		return err
	}
	session, _ := s.session(x) // onPage has checked it
	proved := session.Proves(x.c.Get(proofHeader))
	if err := s.backend.AnswerApproval(x.ctx, id, answer, proved); err != nil {
		return err
	}
	if answer.Action != toolscript.ApprovalAllow {
		x.c.Status(http.StatusNoContent)
		return nil
	}
	return x.answer(http.StatusOK, PageProof{session.Proof})
}

// codeOnPage answers POST /dashboard/:session/approvals/:id/code with the code of a request, if a
// person uses the page. The person types the code into toolscript approvals allow.
func (s *Server) codeOnPage(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	session, _ := s.session(x) // onPage has checked it
	if !session.Proves(x.c.Get(proofHeader)) {
		return errNotPage
	}
	shown := make(chan string, 1)
	if err := s.backend.ShowApproval(x.ctx, id, func(_ toolscript.Approval, code string) { shown <- code }); err != nil {
		return err
	}
	select {
	case code := <-shown:
		return x.answer(http.StatusOK, pageCode{code})
	case <-x.ctx.Done():
		return toolscript.ContextError(x.ctx)
	}
}

// pageCode is the code of a request for approval.
type pageCode struct {
	Code string `json:"code"`
}

// ShowLink shows a link to the operator page to the person who uses this machine, and
// returns ShownBrowser or ShownTerminal. It must not reveal the link to any other program.
type ShowLink func(ctx context.Context, link string, by LinkRequest) (shown string, err error)
