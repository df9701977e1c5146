// Package hub is the gateway's side of a hub: a process that runs servers for several
// gateways. A Client dials shared servers in it. A Conn has the methods of a connection
// to a server; its requests travel over NATS. Package host is the other side. Package
// wire defines the messages between them. See docs/design/sharing.md.
package hub
