package agent

import (
	_ "embed" // of the instructions
	"strings"
)

// text are the instructions without the servers.
//
//go:embed instructions.md
var text string

// Instructions explain to a model how it writes scripts. servers are the names of the
// servers as scripts write them; no names leave out that part.
func Instructions(servers []string) string {
	if len(servers) == 0 {
		return text
	}
	return text + "\nThe servers are: " + strings.Join(servers, ", ") + ".\n"
}
