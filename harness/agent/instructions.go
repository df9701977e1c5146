package agent

import (
	_ "embed" // for instructions.md
	"strings"
)

// text holds the instructions without the list of servers.
//
//go:embed instructions.md
var text string

// Instructions returns instructions that tell a model how to write scripts. servers are the names of
// the servers in scripts; if it is empty, the instructions have no list of servers.
func Instructions(servers []string) string {
	if len(servers) == 0 {
		return text
	}
	return text + "\nThe servers are: " + strings.Join(servers, ", ") + ".\n"
}
