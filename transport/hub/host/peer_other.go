//go:build !linux

package host

import "net"

// checkPeer leaves the check to the permissions of the socket and to the token.
func checkPeer(net.Conn) error { return nil }
