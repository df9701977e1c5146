package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/gateway"
)

// healthTime bounds the request that checks whether a gateway answers.
const healthTime = 5 * time.Second

// reached is a gateway that has answered.
type reached struct {
	*gateway.Client
	health gateway.Health
}

// errNoGateway is the error of commands that need a gateway.
var errNoGateway = &toolscript.Error{
	Kind: toolscript.Unavailable,
	Err:  errors.New("no gateway runs for this configuration; start one with: toolscript gateway start (toolscript gateway list shows others)"),
}

// gateway finds the gateway of a command that needs one.
func (a *app) gateway(ctx context.Context) (*reached, error) {
	g, err := a.reach(ctx)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, errNoGateway
	}
	if g.health.Protocol != toolscript.Protocol {
		defer g.Close()
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(g.difference() + "; restart it")}
	}
	if other := g.difference(); other != "" {
		a.warn("%s", other)
	}
	return g, nil
}

// reach finds a gateway: the gateway of the flag or its variable and no other, else the
// gateway of this session, else the newest healthy gateway of this configuration. It
// returns nil if there is none.
func (a *app) reach(ctx context.Context) (*reached, error) {
	if a.gatewayURL != "" {
		url, err := a.complete(a.gatewayURL)
		if err != nil {
			return nil, err
		}
		return dial(ctx, url)
	}
	entries, err := a.entries()
	if err != nil {
		return nil, err
	}
	var found *reached
	for _, e := range entries {
		g, err := dial(ctx, e.URL)
		switch {
		case err != nil:
			a.warn("%v", err)
		case found == nil:
			found = g
		default:
			a.warn("another gateway runs for this configuration at %s; using the newer one at %s", g.Host(), found.Host())
			g.Close()
			return found, nil
		}
	}
	return found, ctx.Err()
}

// entries are the gateways of this session, else of this configuration.
func (a *app) entries() ([]discovery.Entry, error) {
	folder, err := a.runtimeFolder()
	if err != nil {
		return nil, err
	}
	files, err := config.Locate(a.host.ConfigOptions(false))
	if err != nil {
		return nil, err
	}
	return folder.Find(discovery.Session(a.lookupEnv), config.Paths(files))
}

// complete adds the capability to an address without one, if a runtime entry has it.
// Without a runtime folder the address is unchanged.
func (a *app) complete(address string) (string, error) {
	folder, err := a.runtimeFolder()
	if err != nil {
		return address, nil //nolint:nilerr // the address may be complete; otherwise the gateway answers 404
	}
	return folder.Complete(address)
}

func dial(ctx context.Context, url string) (*reached, error) {
	client := gateway.NewClient(url)
	ctx, cancel := context.WithTimeoutCause(ctx, healthTime, &toolscript.Error{
		Kind: toolscript.Timeout,
		Err:  fmt.Errorf("the gateway at %s did not answer within %s: it is suspended or the machine is very busy; see: toolscript gateway list", client.Host(), healthTime),
	})
	defer cancel()
	health, err := client.Health(ctx)
	if err != nil {
		client.Close()
		return nil, err
	}
	return &reached{client, health}, nil
}

// difference describes the other version of the gateway; "" if the versions are equal.
func (g *reached) difference() string {
	if g.health.Version == toolscript.Version && g.health.Protocol == toolscript.Protocol {
		return ""
	}
	return fmt.Sprintf("the gateway at %s is toolscript %s with protocol %d, this is %s with protocol %d",
		g.Host(), g.health.Version, g.health.Protocol, toolscript.Version, toolscript.Protocol)
}
