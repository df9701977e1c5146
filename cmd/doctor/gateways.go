package doctor

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/api"
)

// answerTime bounds the request to one gateway.
const answerTime = 5 * time.Second

// GatewayFound is a running gateway of the user.
type GatewayFound struct {
	URL     string `json:"url"` // without the capability
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Healthy bool   `json:"healthy"`
}

// gateways examines the running gateways, and the port of a new one.
func (x *examination) gateways(ctx context.Context) {
	running, ended, err := x.Runtime.Look()
	if err != nil {
		x.broken("gateways", "", "%v", err)
	}
	if len(ended) > 0 {
		x.warn("gateways", "toolscript gateway prune", "%d gateways have ended without removing their files", len(ended))
	}
	running = discovery.Serving(running)
	for _, e := range running {
		x.Gateways = append(x.Gateways, x.gateway(ctx, e, len(running) > 1))
	}
	if x.URL != "" && !answers(ctx, x.URL) {
		x.broken("gateway", "unset TOOLSCRIPT_GATEWAY_URL", "no gateway answers at the address of --gateway-url or TOOLSCRIPT_GATEWAY_URL, the only one that commands use")
	}
	x.port()
}

func (x *examination) gateway(ctx context.Context, e discovery.Entry, several bool) GatewayFound {
	g := GatewayFound{URL: e.Address(), PID: e.PID, Version: e.Version, Healthy: answers(ctx, e.URL)}
	subject := "gateway " + g.URL
	switch {
	case !g.Healthy:
		x.broken(subject, toolscript.Command("gateway", "stop", "-g", g.URL), "it does not answer within %s", answerTime)
	case e.Version != toolscript.Version || e.Protocol != toolscript.Protocol:
		x.warn(subject, toolscript.Command("gateway", "restart", "-g", g.URL), "it is toolscript %s, and this is %s", e.Version, toolscript.Version)
	default:
		x.state(ctx, e, several)
	}
	return g
}

// state reports the problems in the status of a running gateway, except changed pins: x.pins reports each server
// once.
func (x *examination) state(ctx context.Context, e discovery.Entry, several bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := api.NewClient(e.URL)
	defer client.Close()
	status, err := client.Status(ctx)
	if err != nil {
		x.warn("gateway "+e.Address(), "", "its state cannot be read: %v", err)
		return
	}
	for _, s := range status.Servers {
		x.pins(s)
	}
	for _, a := range status.Attention {
		f := Finding{Warning, a.Subject, a.Problem, a.Command}
		if several { // otherwise the command could reach another gateway
			f.Fix += " -g " + e.Address()
		}
		if a.Severity == toolscript.SeverityError {
			f.Level = Broken
		}
		known := slices.ContainsFunc(x.Findings, func(k Finding) bool { return k.Subject == f.Subject && k.Level == Broken || k == f })
		if !known && !strings.HasPrefix(a.ID, "pin/") {
			x.Findings = append(x.Findings, f)
		}
	}
}

func answers(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := api.NewClient(url)
	defer client.Close()
	_, err := client.Health(ctx)
	return err == nil
}

// port reports a problem if a gateway could not listen.
func (x *examination) port() {
	port := cmp.Or(x.Port, "0")
	if slices.ContainsFunc(x.Gateways, func(g GatewayFound) bool { return g.URL == "http://127.0.0.1:"+port }) {
		return // a gateway uses it
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)) //nolint:noctx // it does not wait
	if err != nil {
		x.broken("port", "unset TOOLSCRIPT_PORT, or end the program that uses the port", "a gateway cannot listen: %v", err)
		return
	}
	_ = l.Close() // it was only opened for the check
}
