package upstream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
)

// Present applies the overrides of the configuration to all, the tools that the server has
// listed under its own names. The result has one tool for each of all, in the same order. An
// override that gives a tool the name of another tool does not rename it. The warnings name
// such overrides, and the overrides of tools that the server does not have.
func (c Config) Present(server string, all []toolscript.Tool) (tools []toolscript.Tool, warnings []string) {
	if len(c.Overrides) == 0 {
		return all, nil
	}
	names := map[string]string{} // by the server's own name
	for _, t := range all {
		names[t.Name] = cmp.Or(c.Overrides[t.Name].Name, t.Name)
	}
	for _, own := range slices.Sorted(maps.Keys(c.Overrides)) {
		if _, has := names[own]; !has {
			warnings = append(warnings, fmt.Sprintf("%s: overrides has %q, and the server has no such tool; see: %s", server, own, toolscript.Command("list-tools", server)))
		}
	}
	for taken := clash(names); taken != ""; taken = clash(names) {
		for _, own := range slices.Sorted(maps.Keys(names)) {
			if names[own] == taken && own != taken {
				warnings = append(warnings, fmt.Sprintf("%s: overrides names %q %q, as another tool of the server is named; it keeps its name", server, own, taken))
				names[own] = own
			}
		}
	}
	tools = make([]toolscript.Tool, len(all))
	for i, t := range all {
		if tools[i] = t; c.Overrides[t.Name] != (toolscript.Override{}) {
			tools[i] = c.Overrides[t.Name].Apply(t, names[t.Name])
		}
	}
	return tools, warnings
}

// clash returns the first name that two tools would have; "" if there is none.
func clash(names map[string]string) string {
	count, first := map[string]int{}, ""
	for _, name := range names {
		if count[name]++; count[name] > 1 && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

// Offered returns the tools, as Present returns them, that the configuration selects and for
// which hold returns false. A nil hold holds no tool.
func (c Config) Offered(server string, all []toolscript.Tool, hold func(own string) bool) (tools []toolscript.Tool, warnings []string) {
	shown, warnings := c.Present(server, all)
	tools = make([]toolscript.Tool, 0, len(all))
	for i, own := range all {
		if c.Selects(own.Name) && (hold == nil || !hold(own.Name)) {
			tools = append(tools, shown[i])
		}
	}
	return tools, warnings
}
