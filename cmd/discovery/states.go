package discovery

// The states of gateways, hubs, fleets and runners. A server has a toolscript.ServerState.
const (
	Alive   = "alive"
	Silent  = "no answer" // the process runs, but does not answer
	Stale   = "stale"     // the process has ended, but its files are left
	Standby = "standby"   // for a server of a fleet: another hub has the lease
)
