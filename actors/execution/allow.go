package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// strangers are warnings about entries of an allow list that name nothing. Of a
// server that is not connected the tools are not known.
func strangers(allow toolscript.Filter, names *runner.Names) []string {
	var warnings []string
	for _, entry := range allow {
		if known, near := find(entry, names); !known {
			text := fmt.Sprintf("--allow %s names no server and no tool", entry)
			if len(near) > 0 {
				text += "; did you mean " + strings.Join(near, " or ") + "?"
			}
			warnings = append(warnings, text)
		}
	}
	return warnings
}

// find looks an entry up, and else for names like it.
func find(entry string, names *runner.Names) (known bool, near []string) {
	var all []string
	for _, s := range names.Servers {
		absent := len(s.Tools) == 0 && strings.HasPrefix(entry, s.Server+toolscript.Separator)
		if entry == s.Server || absent || slices.ContainsFunc(s.Tools, func(t runner.ToolNames) bool { return t.ID == entry }) {
			return true, nil
		}
		all = append(all, s.Server)
		for _, t := range s.Tools {
			all = append(all, t.ID)
		}
	}
	return false, toolscript.Nearest(entry, all, 2)
}
