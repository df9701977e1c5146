package hub

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// NewFleetStatus returns the command status fleet.
func NewFleetStatus(a *app.App) *cobra.Command {
	o := &report{App: a}
	c := &cobra.Command{
		Use:   "fleet",
		Short: "Show the servers and runners that the hubs of the fleet offer",
		Args:  app.Takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.fleet(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the state of the fleet as JSON")
	return c
}

// FleetStatus is the output of status fleet with --json.
type FleetStatus struct {
	Fleet   string        `json:"fleet"` // addresses of the fleet, without secrets
	Servers []FleetServer `json:"servers"`
	Runners []FleetRunner `json:"runners"`
}

// FleetServer is a server that one hub offers.
type FleetServer struct {
	Name      string                 `json:"name"`
	Host      string                 `json:"host"`
	Hub       string                 `json:"hub"` // id of the hub, which is new after each connection
	Version   string                 `json:"version"`
	Type      string                 `json:"type"`
	Stateless bool                   `json:"stateless"`
	Lease     uint64                 `json:"lease,omitempty"`   // token of the owner's lease
	Standby   bool                   `json:"standby,omitempty"` // the hub waits for the lease
	State     toolscript.ServerState `json:"state"`
	Tools     int                    `json:"tools"`
	Gateways  int                    `json:"gateways"` // gateways that have used the hub in the last five minutes
	InFlight  int                    `json:"inFlight"`
	Queued    int                    `json:"queued"`
	Calls     uint64                 `json:"calls"`
	Errors    uint64                 `json:"errors"`
	Error     string                 `json:"error,omitempty"`
}

// FleetRunner is a hub that runs scripts.
type FleetRunner struct {
	Host    string `json:"host"`
	Version string `json:"version"`
	Runners int    `json:"runners"` // scripts that can run at a time
	Busy    int    `json:"busy"`
	Runs    uint64 `json:"runs"`
	Failed  uint64 `json:"failed"` // runs whose sandbox failed
}

func (o *report) fleet(ctx context.Context) error {
	at, err := FleetAddress(o.App)
	if err != nil {
		return err
	}
	s, err := SurveyFleet(ctx, at)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, s)
	}
	return o.fleetTable(s)
}

// FleetAddress returns the address of the fleet in the configuration, or an error of kind NotFound.
func FleetAddress(a *app.App) (cluster.Address, error) {
	loaded, err := a.Host.Load(false)
	if err != nil {
		return cluster.Address{}, err
	}
	at := loaded.Settings.Fleet.Address()
	if at.URL == "" {
		return at, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(
			`no fleet is configured; write "fleet": {"url": "nats://HOST:4222"} to ~/` + config.FileName)}
	}
	return at, nil
}

// SurveyFleet asks the hubs of a fleet for what they offer.
func SurveyFleet(ctx context.Context, at cluster.Address) (s FleetStatus, err error) {
	nc, err := cluster.Connect(ctx, at)
	if err != nil {
		return s, err
	}
	defer nc.Close()
	s = FleetStatus{Fleet: at.String(), Servers: []FleetServer{}, Runners: []FleetRunner{}}
	entries, err := cluster.List(ctx, nc)
	if err != nil {
		return s, err
	}
	for _, e := range entries {
		s.Servers = append(s.Servers, FleetServer{
			Name: e.Server, Host: e.Host, Hub: e.Hub, Version: e.Version, Type: e.Type, Stateless: e.Stateless, Lease: e.State.Lease, Standby: e.State.Standby,
			State: e.State.State, Tools: e.State.Tools, Gateways: e.State.Gateways, InFlight: e.State.InFlight, Queued: e.State.Queued,
			Calls: e.State.Calls, Errors: e.State.Errors, Error: e.State.Error,
		})
	}
	runners, err := cluster.Runners(ctx, nc)
	for _, r := range runners {
		s.Runners = append(s.Runners, FleetRunner(r))
	}
	return s, err
}

func (o *report) fleetTable(s FleetStatus) error {
	if len(s.Servers) == 0 && len(s.Runners) == 0 {
		return o.Print("No hub offers anything to the fleet at %s; run on a machine with servers: toolscript hub --serve FILE", s.Fleet)
	}
	columns := terminal.Columns(o.Stdout)
	if len(s.Servers) > 0 {
		t := terminal.Table{Header: []string{"Server", "Host", "State", "Owner", "Tools", "Gateways", "In flight", "Calls", "Errors", "Error"}}
		for _, v := range s.Servers {
			t.Add(v.Name, v.Host, string(v.State), v.owner(), strconv.Itoa(v.Tools), strconv.Itoa(v.Gateways), strconv.Itoa(v.InFlight),
				strconv.FormatUint(v.Calls, 10), strconv.FormatUint(v.Errors, 10), terminal.OneLine(v.Error))
		}
		if err := t.Write(o.Stdout, columns, nil); err != nil {
			return err
		}
	}
	if len(s.Runners) == 0 {
		return nil
	}
	t := terminal.Table{Header: []string{"Runners", "Host", "Busy", "Runs", "Failed"}}
	for _, r := range s.Runners {
		t.Add(strconv.Itoa(r.Runners), r.Host, strconv.Itoa(r.Busy), strconv.FormatUint(r.Runs, 10), strconv.FormatUint(r.Failed, 10))
	}
	return t.Write(o.Stdout, columns, nil)
}

// owner says which hubs carry out the calls of a server.
func (v FleetServer) owner() string {
	switch {
	case v.Stateless:
		return "each hub"
	case v.Standby:
		return "waits for the lease"
	case v.Lease != 0:
		return "lease " + strconv.FormatUint(v.Lease, 10)
	}
	return cmp.Or(v.Host, "this hub")
}
