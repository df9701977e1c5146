package hub

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/hub"
)

// NewStatus returns the command status hub.
func NewStatus(a *app.App) *cobra.Command {
	o := &report{App: a}
	c := &cobra.Command{
		Use:   "hub",
		Short: "Show the shared servers, and the gateways that use them",
		Args:  app.Takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.hub(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the state of the hub as JSON")
	return c
}

// Status is the output of status hub with --json.
type Status struct {
	Running       bool      `json:"running"`
	PID           int       `json:"pid,omitempty"`
	Version       string    `json:"version,omitempty"`
	Protocol      int       `json:"protocol,omitempty"`
	UptimeSeconds int64     `json:"uptimeSeconds,omitempty"`
	Port          int       `json:"port,omitempty"` // port for NATS clients
	Log           string    `json:"log,omitempty"`
	MemoryMB      float64   `json:"memoryMb,omitempty"` // private memory of the process; only on Linux
	Gateways      []Gateway `json:"gateways"`
	Servers       []Server  `json:"servers"`
}

// Gateway is a gateway that uses the hub.
type Gateway struct {
	PID      int       `json:"pid"`
	Label    string    `json:"label"`
	Since    time.Time `json:"since"`
	InFlight int       `json:"inFlight"`
	Servers  []string  `json:"servers"`
}

// Server is a shared server.
type Server struct {
	Name          string                 `json:"name"`
	Key           string                 `json:"key"` // hash of the definition of the server
	Folder        string                 `json:"folder,omitempty"`
	Service       string                 `json:"service"` // name of the server in NATS
	Type          string                 `json:"type"`
	State         toolscript.ServerState `json:"state"`
	PID           int                    `json:"pid,omitempty"`
	Gateways      int                    `json:"gateways"`
	IdleSince     *time.Time             `json:"idleSince,omitempty"` // since when no gateway uses the server
	Tools         int                    `json:"tools"`
	Calls         uint64                 `json:"calls"`
	Errors        uint64                 `json:"errors"`
	InFlight      int                    `json:"inFlight"`
	UptimeSeconds int64                  `json:"uptimeSeconds,omitempty"` // only while the server is ready
	MemoryMB      float64                `json:"memoryMb,omitempty"`      // private memory of its processes; only on Linux
	Error         string                 `json:"error,omitempty"`
}

func (o *report) hub(ctx context.Context) error {
	place, err := PlaceOf(o.App)
	if err != nil {
		return err
	}
	r, err := place.Running(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		return o.noHub()
	}
	status, err := r.Query(ctx)
	if err != nil {
		if _, still, readErr := place.Read(); readErr == nil && !still {
			return o.noHub() // the hub has ended in the meantime
		}
		return err
	}
	shown := shownHub(r, status)
	if o.form.Structured() {
		return o.form.Write(o.Stdout, shown)
	}
	return o.hubTable(shown)
}

func (o *report) noHub() error {
	if o.form.Structured() {
		return o.form.Write(o.Stdout, Status{Gateways: []Gateway{}, Servers: []Server{}})
	}
	return o.Print("No hub runs; a gateway starts one when it has a shared server")
}

// shownHub returns the state of a hub, with the memory of its processes.
func shownHub(r *Running, status hub.Status) Status {
	shown := Status{
		Running: true, PID: r.PID, Version: status.Version, Protocol: status.Protocol, UptimeSeconds: secondsSince(status.Started),
		Port: r.Port, Log: r.Log, MemoryMB: decimal(Memory(r.PID)), Gateways: []Gateway{}, Servers: []Server{},
	}
	for _, g := range status.Gateways {
		shown.Gateways = append(shown.Gateways, Gateway{g.PID, g.Label, g.Since, g.InFlight, g.Servers})
	}
	var leaders []int
	for _, s := range status.Servers {
		leaders = append(leaders, s.Status.PID)
	}
	memory := GroupMemory(leaders)
	for _, s := range status.Servers {
		one := Server{
			Name: s.Name, Key: s.Key, Folder: s.Folder, Service: s.Service, Type: s.Status.Type, State: s.Status.State, PID: s.Status.PID,
			Gateways: s.Gateways, IdleSince: s.IdleSince, Tools: s.Status.Tools, Calls: s.Calls, Errors: s.Errors,
			InFlight: s.Status.InFlight, MemoryMB: decimal(memory[s.Status.PID]), Error: s.Status.Error,
		}
		if s.Status.State == toolscript.Ready {
			one.UptimeSeconds = secondsSince(s.Status.Since)
		}
		shown.Servers = append(shown.Servers, one)
	}
	return shown
}

func secondsSince(t time.Time) int64 { return int64(time.Since(t) / time.Second) }

// decimal returns a number with one decimal.
func decimal(n float64) float64 { return math.Round(n*10) / 10 }

func (o *report) hubTable(shown Status) error {
	if err := o.Print("Hub: PID %d, version %s, up %s, gateways: %d", shown.PID, shown.Version,
		time.Duration(shown.UptimeSeconds)*time.Second, len(shown.Gateways)); err != nil {
		return err
	}
	if len(shown.Servers) == 0 {
		return o.Print("No shared server runs")
	}
	t := terminal.Table{Header: []string{"Server", "State", "PID", "Gateways", "Calls", "Errors", "Up", "MB", "Folder", "Error"}}
	for _, s := range shown.Servers {
		t.Add(s.Name, string(s.State), terminal.OrDash(s.PID), strings.Join(s.users(shown.Gateways), " "), strconv.FormatUint(s.Calls, 10),
			strconv.FormatUint(s.Errors, 10), s.up(), s.memory(), s.Folder, s.Error)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), o.PaintState(1))
}

// users returns the process ids of the gateways that use the server; "-" if there are none.
func (s Server) users(all []Gateway) (pids []string) {
	for _, g := range all {
		for _, name := range g.Servers {
			if name == s.Name {
				pids = append(pids, strconv.Itoa(g.PID))
			}
		}
	}
	if len(pids) == 0 {
		return []string{"-"}
	}
	return pids
}

func (s Server) up() string {
	if s.State != toolscript.Ready {
		return "-"
	}
	return (time.Duration(s.UptimeSeconds) * time.Second).String()
}

func (s Server) memory() string {
	if s.MemoryMB == 0 {
		return "-"
	}
	return strconv.FormatFloat(s.MemoryMB, 'f', 1, 64)
}
