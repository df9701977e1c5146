package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// session is one session of an agent. Its gateways belong to the process of the client, because a client can
// replace its session without a new process (/clear).
type session struct {
	*app.App
	id     string
	client discovery.Process
	places discovery.Places
	paths  []string // paths of the configuration files
}

func sessionOf(a *app.App, e Event) (*session, error) {
	s := &session{App: a, id: cmp.Or(e.SessionID, discovery.Session(a.LookupEnv))}
	a.Dir = projectFolder(a, e)
	a.Host.Config.WorkDir = a.Dir
	var err error
	if s.client, err = discovery.Client(a.LookupEnv); err != nil {
		return nil, err
	}
	if s.places, err = a.Target.Places(); err != nil {
		return nil, err
	}
	files, err := config.Locate(a.Host.ConfigOptions(false))
	s.paths = config.Paths(files)
	return s, err
}

// sessionStart gives the session a gateway. No failure here ends the session or changes what the model reads.
func sessionStart(ctx context.Context, a *app.App, e Event) error {
	text, err := startSession(ctx, a, e)
	if err != nil {
		a.Say("toolscript: %v", errors.Join(err, export(a, "")))
		if e.Source == "clear" || e.Source == "compact" || e.Source == "fork" { // the error was shown when the client started
			return nil
		}
		text = err.Error() + "\nThe session continues without a gateway."
	}
	if text == "" {
		return nil
	}
	return Message(a.Stdout, "toolscript: "+text)
}

// startSession gives the session a gateway, and returns a text for the person; "" if there is nothing to say.
func startSession(ctx context.Context, a *app.App, e Event) (text string, err error) {
	s, err := sessionOf(a, e)
	if err != nil {
		return "", err
	}
	if kept, err := s.adopt(ctx); kept || err != nil {
		return "", err
	}
	url, text, failed := s.start(ctx)
	if failed != nil { // another hook of the client may have been quicker
		if kept, err := s.adopt(ctx); kept || err != nil {
			return "", err
		}
		return "", failed
	}
	return text, export(s.App, url)
}

// adopt gives this session a gateway of the client that can be used again, and reports whether there is such
// a gateway.
func (s *session) adopt(ctx context.Context) (kept bool, err error) {
	e, err := s.keep(ctx)
	if e == nil || err != nil {
		return false, err
	}
	if err := s.places.Adopt(*e, s.id); err != nil {
		return true, err
	}
	return true, export(s.App, e.URL)
}

// start starts a gateway that outlives the hook. url is "" if it is not ready yet. text
// is for the person.
func (s *session) start(ctx context.Context) (url, text string, err error) {
	loaded, err := s.Host.Load(false)
	if err != nil {
		return "", "", err
	}
	cmd, err := s.gatewayCommand(ctx)
	if err != nil {
		return "", "", err
	}
	started, err := s.Launcher().Launch(cmd)
	if err != nil {
		return "", "", fmt.Errorf("the gateway has not started: %w", err)
	}
	return started.GatewayURL, s.remarks(loaded), nil
}

// gatewayCommand returns the command that starts the gateway of this session and client.
func (s *session) gatewayCommand(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, "gateway", "start", "--port", "0", "--json", //nolint:gosec // this program
		"--client", s.client.String())
	cmd.Dir = s.Dir
	cmd.Env = discovery.LaunchEnv(s.Env, s.id)
	return cmd, nil
}

// remarks returns what the person should know about a gateway that starts.
func (s *session) remarks(loaded *config.Config) string {
	var remarks []string
	for _, m := range loaded.Mistakes {
		remarks = append(remarks, m.Notice())
	}
	if len(loaded.Untrusted) > 0 {
		remarks = append(remarks, fmt.Sprintf("this project's servers are not started, because you have not trusted its %s: %s; to look at them and start them run: toolscript trust",
			config.FileName, terminal.Visible(strings.Join(loaded.Untrusted, ", "))))
	}
	if differs := Mismatch(s.Getenv("CLAUDE_PLUGIN_ROOT"), toolscript.Version); differs != "" {
		remarks = append(remarks, differs)
	}
	return strings.Join(remarks, "\n")
}

// keep returns the gateway of the client that can be used again, nil if there is none. It stops all other
// gateways of the client, such as those that do not answer or have another configuration or version.
func (s *session) keep(ctx context.Context) (*discovery.Entry, error) {
	own, err := s.places.OfClient(s.client)
	if err != nil {
		return nil, err
	}
	var kept *discovery.Entry
	for _, e := range own {
		if kept == nil && e.Reusable(s.paths) && answers(ctx, e.URL) {
			kept = &e
			continue
		}
		if err := e.Process().Stop(); err != nil {
			s.Warn("%v", err)
		}
	}
	return kept, nil
}

// answers reports whether a gateway answers. After a timeout it reports true: the machine may be busy.
func answers(ctx context.Context, url string) bool {
	g, err := app.Dial(ctx, url)
	if err != nil {
		return toolscript.KindOf(err) == toolscript.Timeout
	}
	g.Close()
	return true
}

// export makes the gateway at url known to the commands of the client. An empty url hides the gateway of an
// outer session, whose client has started this one.
func export(a *app.App, url string) error {
	const variable = "TOOLSCRIPT_GATEWAY_URL"
	path := a.Getenv("CLAUDE_ENV_FILE")
	if path == "" || url == "" && a.Getenv(variable) == "" {
		return nil
	}
	return Export(path, variable, url)
}

// sessionEnd ends the gateways of the client. It does not wait: the client allows it 1.5
// seconds, and a gateway may need five. After clear and resume the client continues with
// another session.
func sessionEnd(_ context.Context, a *app.App, e Event) error {
	if e.Reason == "clear" || e.Reason == "resume" {
		return nil
	}
	s, err := sessionOf(a, e)
	if err != nil {
		return err
	}
	own, err := s.places.OfClient(s.client)
	for _, e := range own {
		err = errors.Join(err, e.Process().Stop())
	}
	return err
}

// Export appends a variable to the file CLAUDE_ENV_FILE, which the client's shell reads
// before each command.
func Export(path, name, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600) //nolint:gosec // the client names the file
	if err != nil {
		return err
	}
	_, err = f.WriteString("export " + name + "=" + toolscript.ShellWord(value) + "\n")
	return errors.Join(err, f.Close())
}
