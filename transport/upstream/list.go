package upstream

// A List has the tools of a server, in the order in which they were added. It implements
// Tools. It must not change after it is passed to New.
type List struct {
	byName map[string]Tool
	all    []Tool
}

// Add adds a tool. No other tool of the list may have its name.
func (l *List) Add(t Tool) {
	if l.byName == nil {
		l.byName = map[string]Tool{}
	}
	l.byName[t.Name], l.all = t, append(l.all, t)
}

// Get implements Tools.
func (l *List) Get(name string) (t Tool, known bool) {
	t, known = l.byName[name]
	return t, known
}

// Tools implements Tools.
func (l *List) Tools() []Tool { return l.all }
