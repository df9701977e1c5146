package status

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
)

// model is the state of the screen. Only the loop of bubbletea uses it.
type model struct {
	ctx     context.Context //nolint:containedctx // context of the requests that keys start
	updates <-chan Update

	pane

	now     time.Time
	state   toolscript.Snapshot
	known   bool    // there has been a connection
	gateway Gateway // nil without a connection
	lost    string  // why there is no connection
	level   int     // index in levels of the lowest level shown in the log
}

// The messages to the model, in addition to those of bubbletea.
type (
	updated struct {
		update Update
		ok     bool
	}
	passed time.Time // a second has passed
	done   string    // says what an action did
)

func newModel(ctx context.Context, updates <-chan Update) *model {
	m := &model{ctx: ctx, updates: updates, now: time.Now(), level: 1}
	m.pane = newPane(len(views), func(at int) []section { return views[at].sections(m) })
	m.help, m.hint, m.brief = keyHelp, "? keys  / filter  Enter more  r restart  l log in  a abort  q quit", 0
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(m.next, second()) }

// next waits for the next update.
func (m *model) next() tea.Msg {
	u, ok := <-m.updates
	return updated{u, ok}
}

func second() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return passed(t) }) }

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case updated:
		return m, m.take(msg)
	case passed:
		m.now = time.Time(msg)
		return m, second()
	case done:
		m.told = string(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.KeyPressMsg:
		return m, m.key(msg, m.act)
	}
	return m, nil
}

// take applies an update from the gateway.
func (m *model) take(u updated) tea.Cmd {
	if !u.ok {
		return tea.Quit
	}
	m.now = time.Now()
	if u.update.Lost != nil {
		m.gateway, m.lost = nil, u.update.Lost.Error()
		return m.next
	}
	m.gateway, m.lost, m.known = u.update.Gateway, "", true
	for _, e := range u.update.Events {
		if err := m.state.Apply(e); err != nil {
			m.told = err.Error()
		}
	}
	return m.next
}
