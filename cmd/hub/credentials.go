package hub

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type hubCredentialsOptions struct {
	*app.App
	show bool
	form terminal.Form
}

func newHubCredentials(a *app.App) *cobra.Command {
	o := &hubCredentialsOptions{App: a}
	c := &cobra.Command{
		Use:   "credentials",
		Short: "Print the address, user and password of hub.port",
		Long: `Print the address, user and password of hub.port, for the nats command.

With "hub": {"port": PORT} in ~/.toolscript.json the hub also listens on that port of
127.0.0.1, for programs that cannot use its socket. The password lasts until the hub ends. The
user can look at the shared servers and cannot call them. Treat the output as a
password: it is written to a terminal only, unless you pass --show.`,
		Args: app.Takes(),
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	c.Flags().BoolVar(&o.show, "show", false, "print them even if the output is no terminal")
	terminal.AddForm(c.Flags(), &o.form, "print them as JSON")
	return c
}

// Credentials is the output of hub credentials with --json.
type Credentials struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"` //nolint:gosec // it is what the command is for
}

func (o *hubCredentialsOptions) run() error {
	place, err := PlaceOf(o.App)
	if err != nil {
		return err
	}
	e, running, err := place.Read()
	switch {
	case err != nil:
		return err
	case !running:
		return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("no hub runs; see: toolscript hub --help")}
	case e.Port == 0:
		return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(`the hub has no port; write "hub": {"port": 4222} to ~/.toolscript.json, and run: toolscript hub stop`)}
	case !o.show && !terminal.Is(o.Stdout):
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("the output is no terminal, and would have a password; to print it all the same: toolscript hub credentials --show")}
	}
	c := Credentials{URL: fmt.Sprintf("nats://127.0.0.1:%d", e.Port), User: Operator, Password: e.Password}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, c)
	}
	return o.Print("URL: %s\nUser: %s\nPassword: %s", c.URL, c.User, c.Password)
}
