// Package confined starts a server that can only access what its configuration names: files
// that it may read and write, and one TCP port, the port of a proxy. A helper, which is this
// program with a hidden command, restricts itself and then becomes the server, so the server
// keeps the process ID that was started.
//
// On Linux, Landlock restricts files, TCP ports and signals, and a filter of system calls
// restricts what Landlock cannot. On macOS, a profile of the sandbox restricts files and the
// network. Other systems are not supported, as Parts reports.
package confined

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// Command is the hidden command that starts the helper. An init function handles it before main.
const Command = "__confined"

// Spec describes a server and what it may access. gateway.Confiner makes it from the configuration of the server.
type Spec struct {
	Path    string       `json:"path"`    // path of the program, absolute
	Args    []string     `json:"args"`    // arguments; the first is the name of the program
	Read    []string     `json:"read"`    // absolute files and folders to read, and to execute from
	Write   []string     `json:"write"`   // absolute files and folders to read and write
	Project files.Folder `json:"project"` // folder beneath which Read and Write are resolved
	Port    uint16       `json:"port"`    // TCP port that the server may connect to; 0: no network
	Modes   bool         `json:"modes"`   // it may change modes and times; with a Gate, only below Write
	Gate    bool         `json:"gate"`    // descriptor 3 is the socket of a Gate

	Free    bool `json:"free,omitempty"`    // nothing is restricted
	Watched bool `json:"watched,omitempty"` // calls are reported on descriptor 3; see package observed
}

// Exit codes of the helper if the server cannot be started, as in a shell.
const (
	exitRefused = 126
	exitMissing = 127
)

// Main runs the helper. It only returns, with the exit code, if the server cannot be started.
func Main(args []string) int {
	var s Spec
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "toolscript: the helper of a confined server got no request")
		return exitRefused
	}
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		fmt.Fprintln(os.Stderr, "toolscript: the helper of a confined server got an invalid request:", err)
		return exitRefused
	}
	err := s.become()
	fmt.Fprintf(os.Stderr, "toolscript: cannot start %s confined: %v; does \"confine\" allow reading it?\n", s.Path, err)
	if os.IsNotExist(err) {
		return exitMissing
	}
	return exitRefused
}

// The names of the parts.
const (
	filesName   = "files"
	callsName   = "system calls"
	networkName = "network"
)

// reached describes what a server reaches on the network.
func reached(net []string) string {
	if len(net) == 0 {
		return "none"
	}
	return "by a proxy to " + strings.Join(net, ", ")
}

// openPort describes what a server reaches without a Gate.
const openPort = "the port of the proxy is open on all hosts"

// Missing describes the parts that are not active, one text for each.
func Missing(parts []toolscript.Confinement) (texts []string) {
	for _, p := range parts {
		if !p.Active {
			texts = append(texts, p.Name+": "+p.Detail)
		}
	}
	return texts
}
