package top

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/follow"
)

// model is everything that the screen shows. It has one owner, the loop of bubbletea.
type model struct {
	ctx     context.Context //nolint:containedctx // of the requests that keys start
	updates <-chan follow.Update

	width, height int
	now           time.Time

	state   toolscript.Snapshot
	known   bool    // there was a connection
	gateway Gateway // nil without a connection
	lost    string  // why there is none

	at      int      // the view
	chosen  []string // id of the selected row, by view
	filters []string // by view
	level   int      // of the log
	screen  screen
	scroll  int // of a screen with a long text

	input *input // what is being typed; nil for nothing
	told  string // what the last action did
}

// screen is what covers the view.
type screen int

const (
	none screen = iota
	help
	detail
)

// The messages to the model besides those of bubbletea.
type (
	updated struct {
		update follow.Update
		ok     bool
	}
	passed time.Time // a second
	done   string    // what an action did
)

func newModel(ctx context.Context, updates <-chan follow.Update) *model {
	return &model{ctx: ctx, updates: updates, now: time.Now(), level: 1, chosen: make([]string, len(views)), filters: make([]string, len(views)), width: 80, height: 24}
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
		return m, m.key(msg)
	}
	return m, nil
}

// take adopts what has happened in the gateway.
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

// sections are those of the current view, with the rows that its filter leaves.
func (m *model) sections() []section { return matching(views[m.at].sections(m), m.filters[m.at]) }

// rows are the rows of the current view.
func (m *model) rows() (all []row) {
	for _, s := range m.sections() {
		all = append(all, s.rows...)
	}
	return all
}

// selected is the place of the selected row. It is the first one if the row is gone.
func (m *model) selected(rows []row) int {
	for i, r := range rows {
		if r.id == m.chosen[m.at] {
			return i
		}
	}
	return 0
}

// current is the selected row; it has no id if there are no rows.
func (m *model) current() row {
	rows := m.rows()
	if len(rows) == 0 {
		return row{}
	}
	return rows[m.selected(rows)]
}

// move selects another row.
func (m *model) move(by int) {
	if rows := m.rows(); len(rows) > 0 {
		m.chosen[m.at] = rows[min(max(m.selected(rows)+by, 0), len(rows)-1)].id
	}
}

// show changes the view.
func (m *model) show(view int) {
	m.at, m.screen, m.scroll = (view+len(views))%len(views), none, 0
}
