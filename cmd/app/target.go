package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/transport/api"
)

// HealthTime bounds the request that checks whether a gateway answers.
const HealthTime = 5 * time.Second

// Finder finds running gateways.
type Finder struct {
	URL     string       // URL of the only gateway to use; "": search for one
	Host    *daemon.Host // environment with the configuration of the gateway
	Profile string       // profile of the command; "": the default of the configuration
}

// Gateway is a gateway that has answered.
type Gateway struct {
	*api.Client
	health api.Health
}

// ErrNone is the error of a command that needs a gateway when there is none.
var ErrNone = &toolscript.Error{
	Kind: toolscript.Unavailable,
	Err:  errors.New("no gateway runs for this configuration; start one with: toolscript gateway start; others are shown by: toolscript gateway list"),
}

// Require finds the gateway for a command that needs one. If there is none, the error is ErrNone.
func (f *Finder) Require(ctx context.Context) (*Gateway, error) {
	g, err := f.Find(ctx)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, ErrNone
	}
	if g.health.Protocol != toolscript.Protocol {
		defer g.Close()
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(g.Difference() + "; restart it")}
	}
	if other := g.Difference(); other != "" {
		f.Host.Warn("%s", other)
	}
	g.Client = g.WithProfile(f.Profile)
	return g, nil
}

// Find finds a gateway: only the gateway of the flag or its variable if there is one, else
// a gateway of this session, else the newest healthy gateway of this configuration. It
// returns nil if there is none.
func (f *Finder) Find(ctx context.Context) (*Gateway, error) {
	if f.URL != "" {
		url, err := f.Complete(f.URL)
		if err != nil {
			return nil, err
		}
		return Dial(ctx, url)
	}
	entries, err := f.Entries()
	if err != nil {
		return nil, err
	}
	var found *Gateway
	for _, e := range entries {
		g, err := Dial(ctx, e.URL)
		switch {
		case err != nil:
			f.Host.Warn("%v", err)
		case found == nil:
			found = g
		default:
			f.Host.Warn("another gateway runs for this configuration at %s; using the newer one at %s", g.Host(), found.Host())
			g.Close()
			return found, nil
		}
	}
	return found, ctx.Err()
}

// Entries returns the gateways of this session, else of this configuration.
func (f *Finder) Entries() ([]discovery.Entry, error) {
	places, err := f.Places()
	if err != nil {
		return nil, err
	}
	files, err := config.Locate(f.Host.ConfigOptions(false))
	if err != nil {
		return nil, err
	}
	session := discovery.Session(f.Host.Config.LookupEnv)
	entries, err := places.Find(session, config.Paths(files))
	if len(entries) > 0 || err != nil || !slices.ContainsFunc(files, func(f config.File) bool { return f.Project }) {
		return entries, err
	}
	return f.withoutProject(places, session)
}

// withoutProject returns the gateways of the user's configuration alone if the project's
// file is ignored. It returns none if the file hides servers of the user: a script of the
// project must not reach another server of the same name.
func (f *Finder) withoutProject(places discovery.Places, session string) ([]discovery.Entry, error) {
	loaded, err := config.Load(f.Host.ConfigOptions(false))
	if err != nil || len(loaded.Hidden) > 0 {
		return nil, nil //nolint:nilerr // the command loads the configuration itself
	}
	effective := config.Effective(loaded.Files)
	if len(effective) == len(loaded.Files) {
		return nil, nil
	}
	entries, err := places.Find(session, config.Paths(effective))
	if len(entries) > 0 {
		for _, file := range loaded.Files {
			if file.Ignored {
				f.Host.Warn("%s", file.Distrusted())
			}
		}
	}
	return entries, err
}

// Complete adds the capability to an address without one, if there is an entry for the
// gateway. Without a data folder it returns the address unchanged.
func (f *Finder) Complete(address string) (string, error) {
	places, err := f.Places()
	if err != nil {
		return address, nil //nolint:nilerr // the address may be complete; otherwise the gateway answers 404
	}
	return places.Complete(address)
}

// Dial asks the gateway at a capability URL for its health.
func Dial(ctx context.Context, url string) (*Gateway, error) {
	client := api.NewClient(url)
	ctx, cancel := context.WithTimeoutCause(ctx, HealthTime, &toolscript.Error{
		Kind: toolscript.Timeout,
		Err:  fmt.Errorf("the gateway at %s did not answer within %s: it is suspended or the machine is very busy; see: toolscript gateway list", client.Host(), HealthTime),
	})
	defer cancel()
	health, err := client.Health(ctx)
	if err != nil {
		client.Close()
		return nil, err
	}
	return &Gateway{client, health}, nil
}

// Difference describes how the version of the gateway differs, or returns "".
func (g *Gateway) Difference() string {
	if g.health.Version == toolscript.Version && g.health.Protocol == toolscript.Protocol {
		return ""
	}
	return fmt.Sprintf("the gateway at %s is toolscript %s with protocol %d, this is %s with protocol %d",
		g.Host(), g.health.Version, g.health.Protocol, toolscript.Version, toolscript.Protocol)
}

// Shared finds a running gateway. It returns nil if there is none, if its version differs,
// or if a running gateway cannot be used: with --trust, and with servers of the command
// line.
func (f *Finder) Shared(ctx context.Context, trust bool) (*Gateway, error) {
	if (trust || len(f.Host.Config.Extra) > 0) && f.URL == "" {
		return nil, nil
	}
	g, err := f.Find(ctx)
	switch {
	case err != nil && (f.URL != "" || ctx.Err() != nil):
		return nil, err
	case err != nil:
		f.Host.Warn("%v; running without a gateway", err)
		return nil, nil
	case g == nil:
		return nil, nil
	}
	if other := g.Difference(); other != "" {
		f.Host.Warn("%s; running without it", other)
		g.Close()
		return nil, nil
	}
	g.Client = g.WithProfile(f.Profile)
	return g, nil
}

// Places returns the folders with the entries of running gateways.
func (f *Finder) Places() (discovery.Places, error) {
	data, err := config.DataDir(f.Host.Config)
	if err != nil {
		return discovery.Places{}, err
	}
	return discovery.RuntimePlaces(data, f.Host.Config.LookupEnv)
}

// Users returns the addresses of the gateways that use a file: the gateway that the user
// names, else all gateways whose configuration includes the file.
func (f *Finder) Users(path string) ([]string, error) {
	if f.URL != "" {
		url, err := f.Complete(f.URL)
		return []string{url}, err
	}
	places, err := f.Places()
	if err != nil {
		return nil, err
	}
	entries, err := places.Reading(path)
	var urls []string
	for _, e := range entries {
		urls = append(urls, e.URL)
	}
	return urls, err
}
