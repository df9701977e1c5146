package toolscript

import (
	"cmp"
	"slices"
)

// Override holds the values that the configuration sets for a tool in place of its
// server. Empty fields and nil hints leave the values of the server unchanged.
type Override struct {
	Name        string
	Description string
	Annotations Annotations
}

// Original holds the values of the server for a tool that an Override changes.
type Original struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Annotations Annotations `json:"annotations,omitzero"`
}

// Overridden lists the parts of a tool that the configuration has replaced.
type Overridden struct {
	Tool  string   `json:"tool"`  // id of the tool
	Own   string   `json:"own"`   // the server's own name for the tool
	Parts []string `json:"parts"` // name, description, annotations
}

// Apply returns the tool with the override applied and with the given name. Its
// Original holds the values of the server, or is nil if nothing differs.
func (o Override) Apply(t Tool, name string) Tool {
	own := &Original{t.Name, t.Description, t.Annotations}
	t.Name, t.Description = name, cmp.Or(o.Description, t.Description)
	for _, hint := range []struct{ of, as **bool }{
		{&t.Annotations.ReadOnly, &o.Annotations.ReadOnly}, {&t.Annotations.Destructive, &o.Annotations.Destructive},
		{&t.Annotations.Idempotent, &o.Annotations.Idempotent}, {&t.Annotations.OpenWorld, &o.Annotations.OpenWorld},
	} {
		if *hint.as != nil {
			*hint.of = *hint.as
		}
	}
	t.Original = own
	if len(t.Overridden().Parts) == 0 {
		t.Original = nil
	}
	return t
}

// Overridden lists how the tool differs from the tool of its server. Without a
// difference, Parts is empty.
func (t Tool) Overridden() Overridden {
	own := t.Own()
	o := Overridden{Tool: t.ID(), Own: own.Name, Parts: []string{}}
	if own.Name != t.Name {
		o.Parts = append(o.Parts, "name")
	}
	if own.Description != t.Description {
		o.Parts = append(o.Parts, "description")
	}
	if !own.Annotations.equal(t.Annotations) {
		o.Parts = append(o.Parts, "annotations")
	}
	return o
}

// Own returns the tool as its server lists it.
func (t Tool) Own() Tool {
	if own := t.Original; own != nil {
		t.Name, t.Description, t.Annotations, t.Original = own.Name, own.Description, own.Annotations, nil
	}
	return t
}

func (a Annotations) equal(b Annotations) bool {
	one, other := []*bool{a.ReadOnly, a.Destructive, a.Idempotent, a.OpenWorld}, []*bool{b.ReadOnly, b.Destructive, b.Idempotent, b.OpenWorld}
	return slices.EqualFunc(one, other, func(x, y *bool) bool { return x == y || x != nil && y != nil && *x == *y })
}
