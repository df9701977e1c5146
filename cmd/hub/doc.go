// Package hub finds, starts and runs the hub: the process that runs the shared servers of
// one user on one host. It also runs a hub of a fleet, which offers the servers of a file, and
// sandboxes of its machine, to gateways on other machines.
package hub
