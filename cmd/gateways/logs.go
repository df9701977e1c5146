package gateways

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/logfile"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type logsOptions struct {
	*app.App
	follow bool
	server string // "": all
	hub    bool
	form   terminal.Form
}

// NewLogs returns the command logs.
func NewLogs(a *app.App) *cobra.Command {
	o := &logsOptions{App: a}
	c := &cobra.Command{
		Use:   "logs",
		Short: "Print the log of the gateway",
		Long: `Print the log of the gateway of this session or configuration. If no gateway runs, it
is that of the gateway started last, which may be inside toolscript mcp. Logs are kept for
seven days.

--hub prints the log of the hub that a gateway has started for shared servers.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "print new lines until the gateway ends")
	c.Flags().StringVar(&o.server, "server", "", "only the lines about this `server`")
	c.Flags().BoolVar(&o.hub, "hub", false, "the log of the hub for shared servers")
	terminal.AddForm(c.Flags(), &o.form, "print each line as JSON")
	return c
}

func (o *logsOptions) run(ctx context.Context) error {
	find := o.path
	if o.hub {
		find = o.ofHub
	}
	path, running, err := find()
	if err != nil {
		return err
	}
	var f io.ReadCloser
	if o.follow {
		f, err = logfile.Follow(ctx, path, running)
	} else {
		f, err = logfile.Open(path)
	}
	if err != nil {
		return err
	}
	return errors.Join(o.writeLines(f), f.Close())
}

// writeLines prints the lines about the server, as text or as JSON.
func (o *logsOptions) writeLines(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		text, err := lines.ReadString('\n')
		if text != "" && o.about(text) {
			if err := o.writeLine(text); err != nil {
				return err
			}
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}

// LogLine is a line of the log in the output of logs with --json.
type LogLine struct {
	Text string `json:"text"`
}

func (o *logsOptions) writeLine(text string) error {
	line := LogLine{strings.TrimSuffix(text, "\n")}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, line)
	}
	_, err := io.WriteString(o.Stdout, text)
	return err
}

// about reports whether a line, which is text or JSON, is about the server of --server: it has the
// attribute server, or the attribute tool with a tool of the server.
func (o *logsOptions) about(line string) bool {
	if o.server == "" {
		return true
	}
	var attributes struct{ Server, Tool string }
	if json.Unmarshal([]byte(line), &attributes) == nil {
		return attributes.Server == o.server || strings.HasPrefix(attributes.Tool, o.server+toolscript.Separator)
	}
	line = strings.TrimSuffix(line, "\n") + " "
	for _, attribute := range []string{
		" server=" + o.server + " ", " server=" + strconv.Quote(o.server) + " ", " tool=" + o.server + "__", ` tool="` + o.server + "__",
	} {
		if strings.Contains(line, attribute) {
			return true
		}
	}
	return false
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// path returns the log of the gateway of this session or configuration, else the newest log. running reports
// whether the gateway of the log runs.
func (o *logsOptions) path() (path string, running func() bool, err error) {
	entries, err := o.Target.Entries()
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		if e.Log != "" {
			return e.Log, func() bool { return o.runs(e) }, nil
		}
	}
	folder, err := o.Logs()
	if err != nil {
		return "", nil, err
	}
	if path := folder.Newest(); path != "" {
		o.Warn("commands reach no gateway here; this is the log that was begun last")
		return path, func() bool { return false }, nil
	}
	return "", nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no log: no gateway was started in the last seven days; to start one: toolscript gateway start --detach")}
}

// ofHub returns the log of the running hub, else the newest log of a hub.
func (o *logsOptions) ofHub() (path string, running func() bool, err error) {
	place, err := hub.PlaceOf(o.App)
	if err != nil {
		return "", nil, err
	}
	e, runs, err := place.Read()
	if err != nil {
		return "", nil, err
	}
	if runs && e.Log != "" {
		return e.Log, func() bool { gone, _ := e.Gone(); return !gone }, nil
	}
	folder, err := o.Logs()
	if err != nil {
		return "", nil, err
	}
	if path := folder.NewestHub(); path != "" {
		return path, func() bool { return false }, nil
	}
	return "", nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no log: no gateway has started a hub in the last seven days; a hub that you start writes its log to its standard error")}
}

// runs reports whether the gateway of an entry still runs.
func (o *logsOptions) runs(e discovery.Entry) bool {
	entries, err := o.Target.Entries()
	return err == nil && slices.ContainsFunc(entries, func(other discovery.Entry) bool { return other.Process() == e.Process() })
}
