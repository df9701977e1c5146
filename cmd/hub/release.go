package hub

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

func newHubRelease(a *app.App) *cobra.Command {
	o := &report{App: a}
	c := &cobra.Command{
		Use:   "release SERVER",
		Short: "Let another hub of the fleet own a server, or repair its lease",
		Long: `Let another hub of the fleet own a server, or repair its lease.

The hub that owns the server takes no new calls of it and answers those in flight, for at most
12 seconds. Then it stops the server and releases its lease, and a hub that waits for the lease
starts the server. If no other hub waits, the same one starts it again.

If no hub owns the server, the command removes the record of its lease: also one that cannot
be read, because it is damaged or of another program. A record that a program still writes is
not removed.

The credentials of "fleet" need the permissions of the role hub.`,
		Args: app.Takes("SERVER"),
		RunE: func(c *cobra.Command, args []string) error { return o.release(c.Context(), args[0]) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print what was done as JSON")
	return c
}

// ReleasedLease is the output of hub release with --json.
type ReleasedLease struct {
	Server  string `json:"server"`
	Host    string `json:"host,omitempty"`    // host of the hub that gives the server to another hub
	Removed bool   `json:"removed,omitempty"` // no hub owned the server, and the record of its lease was removed
	Owner   string `json:"owner,omitempty"`   // owner that the removed record named
}

func (o *report) release(ctx context.Context, server string) error {
	at, err := FleetAddress(o.App)
	if err != nil {
		return err
	}
	over := o.Waiting("looking for the owner of the lease")
	r, err := cluster.Release(ctx, at, server)
	over()
	switch {
	case err != nil:
		return err
	case r.Host == "" && !r.Cleared.Found:
		return &toolscript.Error{Kind: toolscript.NotFound, Server: server, Err: fmt.Errorf(
			"no hub owns the server %s, and no lease of it has to be released; see: toolscript status fleet", server)}
	}
	return o.released(ReleasedLease{Server: server, Host: r.Host, Removed: r.Cleared.Found, Owner: r.Cleared.Owner})
}

func (o *report) released(r ReleasedLease) error {
	switch {
	case o.form.Structured():
		return o.form.Write(o.Stdout, r)
	case r.Removed:
		return o.Print("Removed the lease of %s, whose record named %s; a hub that offers the server starts it within seconds", r.Server, cmp.Or(r.Owner, "no owner"))
	default:
		return o.Print("The hub on %s gives %s to another hub", r.Host, r.Server)
	}
}
