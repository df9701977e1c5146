// Package confined starts a server with as little access as its configuration names: files
// that it may read and write, and one TCP port, that of a proxy. A helper, which is this
// program with a hidden command, restricts itself and then becomes the server, so that the
// process of the server is the one that was started.
//
// On Linux, Landlock restricts files, TCP ports and signals, and a filter of system calls
// what Landlock does not know. On macOS, a profile of the sandbox restricts files and the
// network. Other systems are not supported: Parts says so.
package confined

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/sharedfile/beneath"
)

// Command is the hidden command that makes a program the helper, before its main.
const Command = "__confined"

// Spec is what a server may reach.
type Spec struct {
	Path    string         `json:"path"`    // of its program, absolute
	Args    []string       `json:"args"`    // the first one is the name of the program
	Read    []string       `json:"read"`    // absolute files and folders to read, and to execute from
	Write   []string       `json:"write"`   // to read and write, too
	Project beneath.Folder `json:"project"` // that Read and Write are resolved beneath
	Port    uint16         `json:"port"`    // the TCP port that it may connect to; 0: it has no network
	Modes   bool           `json:"modes"`   // it may change the modes and times of files; with a Gate, in Write
	Gate    bool           `json:"gate"`    // descriptor 3 is that of a Gate

	Free    bool `json:"free,omitempty"`    // nothing is restricted
	Watched bool `json:"watched,omitempty"` // descriptor 3 gets all that the server does, also for a Gate; see package observed
}

// Exit codes of the helper if the server cannot be started; those of a shell.
const (
	exitRefused = 126
	exitMissing = 127
)

// Main is the helper. It returns the exit code if the server cannot be started.
func Main(args []string) int {
	var s Spec
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "toolscript: the helper of a confined server got no order")
		return exitRefused
	}
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		fmt.Fprintln(os.Stderr, "toolscript: the helper of a confined server got a wrong order:", err)
		return exitRefused
	}
	err := s.become()
	fmt.Fprintf(os.Stderr, "toolscript: cannot start %s confined: %v; does \"confine\" allow to read it?\n", s.Path, err)
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

// reached says what a server reaches on the network.
func reached(net []string) string {
	if len(net) == 0 {
		return "none"
	}
	return "by a proxy to " + strings.Join(net, ", ")
}

// openPort is what a server reaches without a Gate.
const openPort = "the port of the proxy is open on all hosts"

// Missing are the parts that this system does not have.
func Missing(parts []toolscript.Confinement) (texts []string) {
	for _, p := range parts {
		if !p.Active {
			texts = append(texts, p.Name+": "+p.Detail)
		}
	}
	return texts
}
