package api

import (
	"regexp"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Internals for the tests of package api_test.
var (
	ParseObject = parseObject
)

// Request and response bodies for the tests of package api_test.
type (
	ErrorBody       = errorBody
	ReloadRequest   = reloadRequest
	ReloadVariables = reloadVariables
	PageCode        = pageCode
)

// Route describes a route for the comparison with the API description.
type Route struct {
	Query      []string // accepted parameters; nil if the query is ignored
	Capability string   // none, run, page or gateway
	Bytes      bool     // the body may be bytes instead of JSON
}

// Routes returns the routes by method and path, such as "GET /tools/{id}".
func Routes() map[string]Route {
	found := map[string]Route{}
	for _, r := range (&Server{}).routes() {
		capability := "gateway"
		switch {
		case r.path == healthPath || r.path == oauth.CallbackPath:
			capability = "none"
		case r.runs:
			capability = "run"
		case strings.HasPrefix(r.path, dashboardPath+":"):
			capability = "page"
		case strings.HasPrefix(r.path, dashboardPath):
			capability = "none"
		}
		found[r.method+" "+pathParameter.ReplaceAllString(r.path, "{$1}")] = Route{r.query, capability, r.bytes}
	}
	return found
}

var pathParameter = regexp.MustCompile(`:(\w+)`)

func ParseExec(body []byte) (toolscript.ExecRequest, error) { return parseExec(body, "") }
