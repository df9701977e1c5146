// Package cluster connects gateways and hubs to the NATS cluster of a fleet, and finds out
// which servers the fleet has.
package cluster
