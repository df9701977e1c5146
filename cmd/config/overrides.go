package config

import (
	"fmt"

	"github.com/toolscript/toolscript"
)

// overridesOf reads the names, descriptions and annotations that replace those of a server's tools.
func overridesOf(n *node) map[string]toolscript.Override {
	var all map[string]toolscript.Override
	for tool, o := range n.children() {
		if all == nil {
			all = map[string]toolscript.Override{}
		}
		hints := o.child("annotations")
		all[tool] = toolscript.Override{
			Name: o.child("name").text(), Description: o.child("description").text(), Annotations: toolscript.Annotations{
				ReadOnly: hint(hints, "readOnlyHint"), Destructive: hint(hints, "destructiveHint"),
				Idempotent: hint(hints, "idempotentHint"), OpenWorld: hint(hints, "openWorldHint"),
			},
		}
	}
	return all
}

// hint returns the value of a field, or nil if it is missing.
func hint(n *node, name string) *bool {
	if n.child(name) == nil {
		return nil
	}
	return new(n.child(name).flag())
}

// wrongOverrides returns mistakes for tools that get the same new name. Other tools of the
// server are not known here.
func (d *document) wrongOverrides(name string, n *node) (out []finding) {
	first := map[string]string{}
	for tool, o := range n.child("overrides").children() {
		renamed := o.child("name")
		if renamed == nil || len(renamed.unset) > 0 {
			continue
		}
		if other, taken := first[renamed.text()]; taken {
			out = append(out, wrongAt([]string{serversKey, name, "overrides", tool, "name"}, renamed.at,
				fmt.Sprintf("is the name of tool %s too; the names of a server's tools must differ", printable(other))))
			continue
		}
		first[renamed.text()] = tool
	}
	return out
}
