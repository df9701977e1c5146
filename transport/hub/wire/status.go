package wire

import (
	"strings"
	"time"

	"github.com/toolscript/toolscript"
)

// Status is the state of a hub.
type Status struct {
	HubInfo

	Gateways []Gateway `json:"gateways"`
	Servers  []Server  `json:"servers"`
}

// Gateway is a gateway that uses the hub.
type Gateway struct {
	ID       string    `json:"id"`
	Label    string    `json:"label,omitempty"`
	PID      int       `json:"pid"`
	Since    time.Time `json:"since"`
	InFlight int       `json:"inFlight"`
	Servers  []string  `json:"servers"` // names in the hub
}

// Server is a shared server.
type Server struct {
	Name      string                  `json:"name"`
	Key       string                  `json:"key"`
	Service   string                  `json:"service"`          // name of the micro service
	Folder    string                  `json:"folder,omitempty"` // folder of the project that shares it; empty: all gateways of the user share it
	Gateways  int                     `json:"gateways"`
	IdleSince *time.Time              `json:"idleSince,omitempty"`
	Calls     uint64                  `json:"calls"`
	Errors    uint64                  `json:"errors"`
	Status    toolscript.ServerStatus `json:"status"`
}

// Configured returns the name of the server in the configuration of its gateways. The hub
// appends digits of the key if several servers have the same name.
func (s Server) Configured() string {
	i := strings.LastIndexByte(s.Name, '~')
	if i < 0 || i == len(s.Name)-1 || !strings.HasPrefix(s.Key, s.Name[i+1:]) {
		return s.Name
	}
	return s.Name[:i]
}
