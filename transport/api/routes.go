package api

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Limits of a request.
const (
	bodyLimit   = 32 << 20
	headerLimit = 64 << 10
)

// Time limits of requests. Calls and runs have lower limits of their own: the time-out of
// the server, which progress restarts, and the limits of the script.
const (
	healthTime = 500 * time.Millisecond
	askTime    = 10 * time.Second
	listTime   = 2 * time.Minute
	authTime   = time.Minute
	renderTime = 2*time.Minute + longestWait
	callTime   = 6 * time.Hour
	runTime    = 24 * time.Hour
	watchTime  = 24 * time.Hour // a reader then reconnects
)

const healthPath = "/health"

// route is one route of the API.
type route struct {
	method string
	path   string
	within time.Duration
	query  []string // accepted parameters; nil if the query is ignored
	runs   bool     // the capability of a run is enough
	calls  bool     // the route makes a call: its errors say whether the server got the call
	bytes  bool     // the body may be bytes instead of JSON
	serve  func(*exchange) error
}

// newApp returns the fiber app. There is no WriteTimeout: it would count from the start of
// an answer and end streams. Requests are streamed: otherwise fasthttp would allocate the
// whole body when the header announces it. Streaming switches BodyLimit off, so readBody
// has the limit. Immutable is necessary, because parameters are used after the handler has
// returned.
func (s *Server) newApp() *fiber.App {
	app := fiber.New(fiber.Config{
		AppName:               "toolscript",
		CaseSensitive:         true,
		DisableStartupMessage: true,
		ErrorHandler:          s.refuseUnread,
		IdleTimeout:           idleTimeout,
		Immutable:             true,
		ReadBufferSize:        headerLimit,
		ReadTimeout:           min(s.readTimeout, headerTime),
		StreamRequestBody:     true,

		DisablePreParseMultipartForm: true, // otherwise it is parsed before the checks
	})
	app.Use(s.enter)
	for _, r := range s.routes() {
		if r.method == fiber.MethodGet {
			app.Get(r.path, s.handler(r)) // for HEAD too
			continue
		}
		app.Add(r.method, r.path, s.handler(r))
	}
	app.Server().HeaderReceived = s.received
	app.Server().ConnState = s.listener.state
	routed := app.Handler()
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if slices.Contains(fiber.DefaultMethods, string(ctx.Method())) {
			routed(ctx)
			return
		}
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		s.refuseMethod(c)
	}
	return app
}

// pageQuery are the parameters of routes that return one page of a list.
var pageQuery = withProfile("server", "cursor", "selected")

func (s *Server) routes() []route { return append(s.gatewayRoutes(), s.pageRoutes()...) }

// gatewayRoutes are the routes of clients.
func (s *Server) gatewayRoutes() []route {
	return []route{
		{method: fiber.MethodGet, path: healthPath, within: healthTime, serve: s.health},
		{method: fiber.MethodGet, path: "/ready", within: askTime, serve: s.ready},
		{method: fiber.MethodGet, path: "/status", within: askTime, serve: s.status},
		{method: fiber.MethodGet, path: "/metrics", within: askTime, serve: s.metrics},
		{method: fiber.MethodGet, path: "/events", within: watchTime, query: []string{"arguments"}, serve: s.events},
		{method: fiber.MethodGet, path: "/reload", within: askTime, serve: s.variables},
		{method: fiber.MethodPost, path: "/reload", within: askTime, serve: s.reload},
		{method: fiber.MethodPost, path: "/reload/plan", within: askTime, serve: s.planReload},
		{method: fiber.MethodGet, path: "/servers", within: renderTime, query: []string{"filter", "wait"}, serve: s.servers},
		{method: fiber.MethodPost, path: "/servers/:name/restart", within: listTime, serve: s.restartServer},
		{method: fiber.MethodPost, path: "/servers/:name/auth", within: authTime, serve: s.beginAuth},
		{method: fiber.MethodGet, path: oauth.CallbackPath, within: authTime, serve: s.finishAuth},
		{method: fiber.MethodGet, path: "/tools", within: renderTime, query: withProfile("filter", "wait", "apps"), runs: true, serve: s.tools},
		{method: fiber.MethodGet, path: "/tools/:id", within: askTime, query: withProfile("fresh"), runs: true, serve: s.describe},
		{
			method: fiber.MethodGet, path: "/search", within: askTime,
			query: withProfile("q", "limit", "threshold", "server", "readOnly", "types"), runs: true, serve: s.search,
		},
		{method: fiber.MethodGet, path: "/search/stats", within: askTime, serve: s.searchStats},
		{method: fiber.MethodPost, path: "/tools/:id", within: callTime, query: withProfile("apps"), runs: true, calls: true, serve: s.callTool},
		{method: fiber.MethodGet, path: "/resources", within: listTime, query: pageQuery, serve: s.list(toolscript.ListResources)},
		{method: fiber.MethodGet, path: "/resources/templates", within: listTime, query: pageQuery, serve: s.list(toolscript.ListTemplates)},
		{method: fiber.MethodGet, path: "/resources/read", within: callTime, query: withProfile("server", "uri", "selected"), calls: true, serve: s.read(toolscript.ReadResource)},
		{method: fiber.MethodGet, path: "/skills", within: listTime, query: pageQuery, serve: s.list(toolscript.ListSkills)},
		{method: fiber.MethodGet, path: "/skills/get", within: callTime, query: withProfile("server", "uri", "selected"), calls: true, serve: s.read(toolscript.GetSkill)},
		{method: fiber.MethodGet, path: "/skills/read", within: callTime, query: withProfile("server", "uri", "selected"), calls: true, serve: s.read(toolscript.ReadSkill)},
		{method: fiber.MethodGet, path: "/prompts", within: listTime, query: pageQuery, serve: s.list(toolscript.ListPrompts)},
		{method: fiber.MethodPost, path: "/prompts/:server/:name", within: callTime, query: withProfile("selected"), calls: true, serve: s.getPrompt},
		{method: fiber.MethodPost, path: "/completions/:server", within: callTime, query: withProfile("selected"), calls: true, serve: s.complete},
		{method: fiber.MethodPost, path: "/watch", within: watchTime, query: withProfile(), serve: s.watch},
		{method: fiber.MethodGet, path: "/types", within: renderTime, query: withProfile("filter", "form", "wait"), runs: true, serve: s.types},
		{
			method: fiber.MethodGet, path: "/runtime/tools.ts", within: renderTime,
			query: withProfile("filter", "compact", "declarations", "wait", "_t"), runs: true, serve: s.module,
		},
		{method: fiber.MethodGet, path: "/store/types", within: askTime, query: []string{"form", "session", "cwd"}, serve: s.storeTypes},
		{method: fiber.MethodPost, path: "/exec", within: runTime, serve: s.exec},
		{method: fiber.MethodPost, path: "/harness", within: runTime, serve: s.harness},
		{method: fiber.MethodGet, path: "/runs", within: askTime, serve: s.runs},
		{method: fiber.MethodPost, path: "/runs", within: askTime, serve: s.detach},
		{method: fiber.MethodGet, path: "/runs/:id", within: askTime, serve: s.run},
		{method: fiber.MethodGet, path: "/runs/:id/events", within: runTime, query: []string{"wait"}, serve: s.runEvents},
		{method: fiber.MethodGet, path: "/runs/:id/output", within: askTime, query: []string{"call", "part", "range"}, serve: s.runOutput},
		{method: fiber.MethodDelete, path: "/runs/:id", within: askTime, serve: s.abortRun},
		{method: fiber.MethodPost, path: "/runs/:id/reply", within: askTime, serve: s.replyRun},
		{method: fiber.MethodGet, path: "/approvals", within: askTime, serve: s.approvals},
		{method: fiber.MethodGet, path: "/approvals/:id", within: askTime, serve: s.approval},
		{method: fiber.MethodPost, path: "/approvals/:id", within: askTime, serve: s.answerApproval},
		{method: fiber.MethodPost, path: "/approvals/:id/confirm", within: askTime, serve: s.confirmApproval},
		{method: fiber.MethodPost, path: "/pins/accept", within: askTime, serve: s.acceptPins},
		{method: fiber.MethodPost, path: MCPPath, within: runTime, query: withProfile(), serve: s.mcp},
		{method: fiber.MethodGet, path: MCPPath, within: runTime, query: withProfile(), serve: s.mcp},
		{method: fiber.MethodDelete, path: MCPPath, within: askTime, query: withProfile(), serve: s.mcp},
		{method: fiber.MethodPost, path: "/runs/:id/stdin", within: runTime, query: []string{"eof", "error"}, bytes: true, serve: s.giveStdin},
	}
}

// pageRoutes are the routes of the operator page.
func (s *Server) pageRoutes() []route {
	return []route{
		{method: fiber.MethodPost, path: "/dashboard", within: askTime, serve: s.makeLink},
		{method: fiber.MethodGet, path: dashboardPath + "open/:link", within: askTime, serve: s.openLink},
		{method: fiber.MethodGet, path: dashboardPath + "assets/:file", within: askTime, serve: s.pageAsset},
		{method: fiber.MethodGet, path: dashboardPath + ":session", within: askTime, serve: s.pageIndex},
		{method: fiber.MethodGet, path: dashboardPath + ":session/events", within: watchTime, query: []string{"arguments"}, serve: s.onPage(s.events)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/reload", within: askTime, serve: s.onPage(s.reload)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/servers/:name/restart", within: listTime, serve: s.onPage(s.restartServer)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/servers/:name/auth", within: authTime, serve: s.onPage(s.beginAuth)},
		{method: fiber.MethodGet, path: dashboardPath + ":session/runs/:id", within: askTime, serve: s.onPage(s.run)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/runs/:id/abort", within: askTime, serve: s.onPage(s.abortRun)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/runs/:id/reply", within: askTime, serve: s.onPage(s.replyRun)},
		{method: fiber.MethodGet, path: dashboardPath + ":session/approvals/:id", within: askTime, serve: s.onPage(s.approval)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/approvals/:id", within: askTime, serve: s.onPage(s.answerOnPage)},
		{method: fiber.MethodPost, path: dashboardPath + ":session/approvals/:id/code", within: askTime, serve: s.onPage(s.codeOnPage)},
	}
}
