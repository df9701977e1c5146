package cli

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/gateway"
)

// maxAsked is how many gateways status --all asks at once.
const maxAsked = 16

// The states of a gateway in status --all.
const (
	gatewayAlive  = "alive"
	gatewaySilent = "no answer" // its process runs
	gatewayStale  = "stale"     // its process has ended, and its files are left
)

// gatewayRow is one gateway of this user on this host. It has no capability.
type gatewayRow struct {
	URL           string   `json:"url"`
	State         string   `json:"state"`
	PID           int      `json:"pid"`
	Version       string   `json:"version"`
	Session       string   `json:"session,omitempty"`
	Client        int      `json:"client,omitempty"` // process id of the agent that it belongs to
	UptimeSeconds float64  `json:"uptimeSeconds,omitempty"`
	Ready         int      `json:"ready"` // servers that are connected
	Servers       int      `json:"servers"`
	Runs          int      `json:"runs"`               // that have not ended
	MemoryMB      float64  `json:"memoryMb,omitempty"` // private memory of its process; on Linux only
	Config        []string `json:"config"`
	Error         string   `json:"error,omitempty"`
	Command       string   `json:"command,omitempty"` // removes what is left, or ends the gateway
}

// printAll prints every gateway of this user on this host.
func (o *statusOptions) printAll(ctx context.Context) error {
	folder, err := o.target.Folder()
	if err != nil {
		return err
	}
	running, ended, err := folder.Look()
	if err != nil {
		return err
	}
	rows := make([]gatewayRow, len(running), len(running)+len(ended))
	slots := make(chan struct{}, maxAsked)
	var asked sync.WaitGroup
	for i, e := range running {
		asked.Go(func() {
			slots <- struct{}{}
			rows[i] = askGateway(ctx, e)
			<-slots
		})
	}
	asked.Wait()
	for _, e := range ended {
		row := rowOf(e, gatewayStale)
		row.Command = "toolscript gateway prune"
		rows = append(rows, row)
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, rows)
	}
	if len(rows) == 0 {
		return o.print("No gateways running")
	}
	t := terminal.Table{Header: []string{"URL", "State", "PID", "Version", "Session", "Client", "Up", "Servers", "Runs", "Memory", "To remove it"}}
	for _, r := range rows {
		t.Add(r.cells()...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

func rowOf(e discovery.Entry, state string) gatewayRow {
	r := gatewayRow{URL: e.Address(), State: state, PID: e.PID, Version: e.Version, Session: e.Session, Config: e.Config}
	if e.Client != nil {
		r.Client = e.Client.PID
	}
	return r
}

// askGateway asks a gateway for its state.
func askGateway(ctx context.Context, e discovery.Entry) gatewayRow {
	ctx, cancel := context.WithTimeout(ctx, target.HealthTime)
	defer cancel()
	r := rowOf(e, gatewayAlive)
	client := gateway.NewClient(e.URL)
	defer client.Close()
	status, err := client.Status(ctx)
	var runs []toolscript.RunRecord
	if err == nil {
		runs, err = client.Runs(ctx)
	}
	if err != nil {
		r.State, r.Error, r.Command = gatewaySilent, err.Error(), "toolscript gateway stop -g "+r.URL
		return r
	}
	r.UptimeSeconds, r.Servers, r.Ready = status.UptimeSeconds, len(status.Servers), connected(status.Servers)
	for _, run := range runs {
		if run.EndedAt == nil {
			r.Runs++
		}
	}
	if e.Here() {
		r.MemoryMB = privateMB(e.PID)
	}
	return r
}

func (r gatewayRow) cells() []string {
	cells := []string{r.URL, r.State, strconv.Itoa(r.PID), r.Version, terminal.OneLine(r.Session), "", "", "", "", "", r.Command}
	if r.Client != 0 {
		cells[5] = strconv.Itoa(r.Client)
	}
	if r.State == gatewayAlive {
		cells[6] = (time.Duration(r.UptimeSeconds) * time.Second).String()
		cells[7] = fmt.Sprintf("%d of %d", r.Ready, r.Servers)
		cells[8] = strconv.Itoa(r.Runs)
	}
	if r.MemoryMB > 0 {
		cells[9] = fmt.Sprintf("%.0f MB", r.MemoryMB)
	}
	return cells
}
