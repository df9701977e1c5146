package agent

import (
	_ "embed" // of the instructions
	"strings"
)

// text holds the instructions without the list of servers.
//
//go:embed instructions.md
var text string

// Instructions returns the instructions for a model on how to write scripts. servers are
// the names of the servers in scripts; if it is empty, the list of servers is left out.
func Instructions(servers []string) string {
	if len(servers) == 0 {
		return text
	}
	return text + "\nThe servers are: " + strings.Join(servers, ", ") + ".\n"
}
