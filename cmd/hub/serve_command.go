package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxRunners bounds --runners: the sandboxes of a machine share its processors.
const maxRunners = 256

// serveFleet runs a hub of a fleet.
func (o *hubOptions) serveFleet(ctx context.Context) error {
	if o.runners < 0 || o.runners > maxRunners || o.serve == "" && o.runners == 0 {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("--runners must be between 1 and %d", maxRunners)}
	}
	return ServeFleet(ctx, FleetOptions{
		Host: o.Host, Read: o.readFleet, Runners: o.runners, Ready: o.joined, Reload: o.HangupSignals(), Metrics: o.metrics, Logger: o.Logger(slog.LevelInfo),
	})
}

// readFleet reads the servers of the file, and the address of the fleet. The operator has named
// the file, which therefore needs no trust.
func (o *hubOptions) readFleet() (s FleetSettings, err error) {
	from := o.Host.ConfigOptions(false)
	from.Strict = true
	if o.serve != "" {
		from.Config = o.serve
	}
	loaded, err := o.Host.LoadFrom(from)
	if err != nil {
		return s, err
	}
	s.Address, s.Servers = loaded.Settings.Fleet.Address(), map[string]upstream.Config{}
	if s.Address.URL == "" {
		return s, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(
			`no fleet is configured; write "fleet": {"url": "nats://HOST:4222"} to the file or to ~/%s`, config.FileName)}
	}
	if o.serve == "" {
		return s, nil
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(loaded.Servers)) {
		c := loaded.Servers[name]
		switch {
		case c.Disabled:
		case c.Type != "" && c.Kind().Review != upstream.ReviewNothing && !c.Kind().MCP:
			wrong = append(wrong, fmt.Errorf("the server %s has the type %s, which a hub cannot offer; remove it from %s", name, c.Type, o.serve))
		default:
			c.Shared = ""
			s.Servers[name] = c
		}
	}
	if len(s.Servers) == 0 && o.runners == 0 {
		wrong = append(wrong, fmt.Errorf("%s has no server to offer", o.serve))
	}
	if err := errors.Join(wrong...); err != nil {
		return s, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	return s, nil
}

// JoinedFleet is the output of hub --serve with --json.
type JoinedFleet struct {
	Fleet   string   `json:"fleet"` // addresses of the fleet, without secrets
	Servers []string `json:"servers"`
	Runners int      `json:"runners"`
}

// joined prints that gateways of the fleet can use the hub, for the user or the program that has started it.
func (o *hubOptions) joined(j Joined) error {
	if o.form.Structured() {
		return o.form.Write(o.Stdout, JoinedFleet{Fleet: j.Address.String(), Servers: append([]string{}, j.Servers...), Runners: j.Runners})
	}
	what := []string{}
	if len(j.Servers) > 0 {
		what = append(what, "servers "+strings.Join(j.Servers, ", "))
	}
	if j.Runners > 0 {
		what = append(what, fmt.Sprintf("%d runners", j.Runners))
	}
	return o.Print("Hub of the fleet at %s: %s", j.Address, strings.Join(what, "; "))
}
