package inprocess

// A List has the tools of a server, in the order in which they were added. It implements
// Tools. It does not change after it is given to New.
type List struct {
	byName map[string]Tool
	all    []Tool
}

// Add adds a tool. Its name is that of no other tool of the list.
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
