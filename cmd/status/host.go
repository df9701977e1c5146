package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// HostScreenOptions configure RunHostScreen. All fields are required.
type HostScreenOptions struct {
	// Look returns the items to show.
	Look func(ctx context.Context) ([]Item, error)
	// Do runs a command of this program, such as "gateway", "stop", and returns its output.
	Do func(ctx context.Context, args []string) (string, error)

	In  io.Reader // a terminal
	Out io.Writer // the same terminal
	Env []string  // in the form of os.Environ; TERM and NO_COLOR are used
}

// lookPause is the pause between two looks at the host.
const lookPause = 2 * time.Second

// RunHostScreen shows all gateways of a host, and the hub with its servers, until the person
// quits or ctx ends. Neither is an error.
func RunHostScreen(ctx context.Context, o HostScreenOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return run(ctx, newHostModel(ctx, o), o.In, o.Out, o.Env)
}

// hostModel is the state of the screen of a host.
type hostModel struct {
	pane

	ctx     context.Context //nolint:containedctx // context of the looks, and of the commands that keys start
	options HostScreenOptions
	items   []Item
	known   bool  // there has been a look
	failed  error // error of the last look
}

// The messages to the hostModel, in addition to those of bubbletea.
type (
	looked struct {
		items []Item
		err   error
	}
	lookAgain struct{}
)

func newHostModel(ctx context.Context, o HostScreenOptions) *hostModel {
	m := &hostModel{ctx: ctx, options: o}
	m.pane = newPane(1, func(int) []section { return []section{hostSection(m.items, m.known)} })
	m.help, m.hint = hostKeys, "? keys  / filter  Enter more  r restart  x remove  q quit"
	return m
}

// hostKeys lists the keys and what they do.
var hostKeys = [][2]string{
	{"↑ ↓, j k, PgUp PgDn, g G", "another row"},
	{"Enter", "everything about the row; Esc goes back"},
	{"/", "only rows with a text; an empty text shows all"},
	{"r", "restart the gateway or the shared server of the row"},
	{"x", "end the gateway or the hub of the row, or remove what it has left"},
	{"?", "this help"},
	{"q, Ctrl-C", "leave"},
}

// Init implements tea.Model.
func (m *hostModel) Init() tea.Cmd { return m.look }

func (m *hostModel) look() tea.Msg {
	items, err := m.options.Look(m.ctx)
	return looked{items, err}
}

// Update implements tea.Model.
func (m *hostModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case looked:
		if m.failed = msg.err; msg.err == nil {
			m.items, m.known = msg.items, true
		}
		return m, tea.Tick(lookPause, func(time.Time) tea.Msg { return lookAgain{} })
	case lookAgain:
		return m, m.look
	case done:
		m.told = string(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.KeyPressMsg:
		return m, m.key(msg, m.act)
	}
	return m, nil
}

// View implements tea.Model.
func (m *hostModel) View() tea.View { return viewOf(m.lines()) }

// lines returns the lines of the whole screen.
func (m *hostModel) lines() []string { return m.pane.lines(m.head()) }

// head returns the lines with the numbers of items.
func (m *hostModel) head() []string {
	if !m.known && m.failed == nil {
		return []string{bold + "toolscript" + reset + "  " + cyan + m.rest("looking") + reset}
	}
	counts, stale, memory := map[Kind]int{}, 0, 0.0
	for _, i := range m.items {
		if i.State == discovery.Stale {
			stale++
			continue
		}
		counts[i.Kind]++
		memory += i.MemoryMB
	}
	facts := []string{count(counts[KindGateway], "gateway"), count(counts[KindHub], "hub"), count(counts[KindServer], "shared server")}
	if n := counts[KindFleetServer]; n > 0 {
		facts = append(facts, count(n, "server")+" of the fleet")
	}
	if stale > 0 {
		facts = append(facts, fmt.Sprintf("%d stale", stale))
	}
	if memory > 0 {
		facts = append(facts, fmt.Sprintf("%.0f MB", memory))
	}
	lines := []string{bold + "toolscript" + reset + m.rest(strings.Join(facts, ", "))}
	if m.failed != nil {
		lines = append(lines, red+m.cut("Old state. "+safe(m.failed.Error()))+reset)
	}
	return append(lines, "")
}

// rest shortens a text that follows the name of the program on its line.
func (m *hostModel) rest(text string) string {
	return terminal.Cut("  "+text, m.width-len("toolscript"))
}

func hostSection(items []Item, known bool) section {
	s := section{title: "This host", empty: "No gateway runs, and no hub.", columns: []column{
		{name: "What"}, {name: "Name", flex: true}, {name: "State", state: true}, {name: "PID", right: true, drop: 3}, {name: "Up", right: true, drop: 4},
		{name: "Uses", drop: 1}, {name: "Active", drop: 2}, {name: "MB", right: true},
	}}
	if !known {
		s.empty = "…"
	}
	for _, i := range items {
		r := row{id: i.ID(), about: subject{kind: anItem, id: i.ID()}, detail: itemDetail(i), cells: []string{
			string(i.Kind), itemName(i), i.State, positive(i.PID, "%d"), "", i.Uses(), i.Active(), positive(i.MemoryMB, "%.0f"),
		}}
		if i.UptimeSeconds > 0 {
			r.cells[4] = upOf(i)
		}
		if i.Command != "" {
			r.below = []string{"→ " + i.Command}
		}
		s.rows = append(s.rows, r)
	}
	return s
}

func upOf(i Item) string {
	return whole(time.Duration(i.UptimeSeconds * float64(time.Second)))
}

func positive[T int | float64](n T, format string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// itemName returns the address of a gateway, or the name of another item, with its host if it has one.
func itemName(i Item) string {
	if i.Kind == KindGateway {
		return strings.TrimPrefix(i.URL, "http://")
	}
	if i.Host != "" {
		return i.Name + " on " + i.Host
	}
	return i.Name
}

func itemDetail(i Item) []string {
	facts := []string{fmt.Sprintf("%s %s, %s", i.Kind, i.URL+i.Name, i.State)}
	for _, fact := range []struct{ name, value string }{
		{"version", i.Version}, {"process", positive(i.PID, "%d")}, {"session", i.Session}, {"agent", positive(i.Client, "%d")}, {"folder", i.Folder}, {"host", i.Host}, {"lease", positive(int(i.Lease), "%d")}, {"calls", positive(int(i.Calls), "%d")},
	} {
		if fact.value != "" {
			facts = append(facts, fact.name+" "+fact.value)
		}
	}
	if i.UptimeSeconds > 0 {
		facts = append(facts, "up "+upOf(i))
	}
	lines := []string{strings.Join(facts, ", ")}
	if len(i.Config) > 0 {
		lines = append(lines, "Configuration: "+strings.Join(i.Config, ", "))
	}
	if i.Error != "" {
		lines = append(lines, "Error: "+i.Error)
	}
	if i.Command != "" {
		lines = append(lines, "→ "+i.Command)
	}
	return lines
}

// act performs the action of a key on the selected row.
func (m *hostModel) act(key string) tea.Cmd {
	if key != "r" && key != "x" {
		return nil
	}
	about := m.current().about
	for _, i := range m.items {
		if i.ID() != about.id {
			continue
		}
		args, none := i.Restart, "it cannot be restarted from here"
		if key == "x" {
			args, none = i.Remove, "it ends when no gateway has used it for some time"
		}
		if args == nil {
			m.told = none
			return nil
		}
		m.confirm("Run toolscript "+strings.Join(args, " ")+"?", m.do(args))
	}
	return nil
}

// do runs a command, and reports the last line of its output.
func (m *hostModel) do(args []string) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, actTime)
		defer cancel()
		text, err := m.options.Do(ctx, args)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		switch last := lines[len(lines)-1]; {
		case err == nil:
			return done(last)
		case errors.Is(err, context.DeadlineExceeded) || last == "":
			return done("failed: " + err.Error())
		default:
			return done("failed: " + last)
		}
	}
}
