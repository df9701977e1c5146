package wire

import "time"

// HubInfo is the first message of a hub. It sends it to every program that connects, before it knows the program.
type HubInfo struct {
	Protocol int       `json:"protocol"`
	Version  string    `json:"version"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started"`
	Users    int       `json:"users"` // gateways that are connected
}

// ConnectRequest is the answer of a gateway to the HubInfo.
type ConnectRequest struct {
	Protocol int    `json:"protocol"`
	ID       string `json:"id"` // random; see ValidID
	Token    string `json:"token"`
	Label    string `json:"label,omitempty"`
	PID      int    `json:"pid"`
	Query    bool   `json:"query,omitempty"` // only the Status is wanted; no connection follows
}

// ConnectAnswer is the answer of the hub to the ConnectRequest.
type ConnectAnswer struct {
	Password string  `json:"password,omitempty"` //nolint:gosec // the gateway's own password for NATS
	Error    string  `json:"error,omitempty"`
	Status   *Status `json:"status,omitempty"` // the answer to a Query
}
