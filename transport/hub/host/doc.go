// Package host is the hub's side: a NATS server in this process without a TCP port, to
// which gateways connect over a unix socket, and the shared servers as NATS micro
// services. Package hub is the gateway's side.
//
// accept.go admits connections and passes their bytes to the NATS server. broker.go is that
// server and its permissions. gateway.go is one gateway, whose end ends its calls and its
// use of servers. shared.go is one shared server, and call.go one call.
package host
