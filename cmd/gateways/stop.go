package gateways

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// stopTime bounds the wait for a gateway to end. A gateway ends its servers within 5 s.
const stopTime = 15 * time.Second

type gatewayStopOptions struct {
	*app.App
	all  bool
	form terminal.Form
}

// NewGatewayStop returns the command gateway stop.
func NewGatewayStop(a *app.App) *cobra.Command {
	o := &gatewayStopOptions{App: a}
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop the gateways of this session or configuration, and their servers",
		Long: `Stop the gateways of this session or configuration, or the one of --gateway-url.
The command returns when they have ended.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "stop every gateway of this user")
	terminal.AddForm(c.Flags(), &o.form, "print the stopped gateways as JSON")
	return c
}

// StoppedGateway is one gateway in the output of --json.
type StoppedGateway struct {
	URL   string `json:"url"`
	PID   int    `json:"pid"`
	Error string `json:"error,omitempty"`
}

func (o *gatewayStopOptions) run(ctx context.Context) error {
	places, err := o.Target.Places()
	if err != nil {
		return err
	}
	entries, err := o.selected(places)
	if err != nil {
		return err
	}
	if len(entries) == 0 && !o.all {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("no gateway runs for this session and configuration; see: toolscript gateway list")}
	}
	var failed error
	results := make([]StoppedGateway, 0, len(entries))
	over := o.Waiting("stopping the gateway")
	for _, e := range entries {
		r := StoppedGateway{URL: e.Address(), PID: e.PID}
		if err := stopGateway(ctx, places, e); err != nil {
			r.Error = err.Error()
			failed = errors.Join(failed, err)
		}
		results = append(results, r)
	}
	over()
	if o.form.Structured() {
		return errors.Join(o.form.Write(o.Stdout, results), failed)
	}
	for _, r := range results {
		if r.Error == "" {
			if err := o.Print("Stopped the gateway at %s (PID %d)", r.URL, r.PID); err != nil {
				return err
			}
		}
	}
	return failed
}

// selected returns the gateways to stop.
func (o *gatewayStopOptions) selected(places discovery.Places) ([]discovery.Entry, error) {
	if o.all {
		if named := func(arg string) bool { return strings.HasPrefix(arg, "-g") || strings.HasPrefix(arg, "--gateway-url") }; slices.ContainsFunc(o.Args, named) {
			return nil, app.Usage("toolscript gateway stop", "give either --all or --gateway-url, not both")
		}
		entries, err := places.List()
		return discovery.Serving(entries), err
	}
	return addressed(o.App, places)
}

// addressed returns the gateways of --gateway-url, else of this session or configuration.
func addressed(a *app.App, places discovery.Places) ([]discovery.Entry, error) {
	if a.Target.URL == "" {
		return a.Target.Entries()
	}
	entries, err := places.List()
	if err != nil {
		return nil, err
	}
	url, err := a.Target.Complete(a.Target.URL)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(discovery.Serving(entries), func(e discovery.Entry) bool { return e.URL != url && e.Address() != url }), nil
}

// stopGateway asks a gateway to end, and waits until its entry is removed or its process
// is gone.
func stopGateway(ctx context.Context, places discovery.Places, e discovery.Entry) error {
	if !e.Here() {
		return fmt.Errorf("the gateway at %s runs in another container; run the command there", e.Address())
	}
	if err := e.Process().Stop(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTime, &toolscript.Error{
		Kind: toolscript.Timeout,
		Err:  fmt.Errorf("the gateway at %s has not ended within %s; to end it at once: kill -9 %d", e.Address(), stopTime, e.PID),
	})
	defer cancel()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		running, err := places.List()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(running, func(other discovery.Entry) bool { return other.Process() == e.Process() }) {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
