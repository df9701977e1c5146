package notify

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"

	"golang.org/x/sys/unix"
)

// An Address is a socket address in the arguments of a Call.
type Address struct {
	Family int            // such as AF_INET
	IP     netip.AddrPort // for AF_INET and AF_INET6
	Path   string         // for AF_UNIX; an abstract name begins with "@"; "" means unnamed
}

// Address reads a socket address of size bytes from the caller's memory.
func (c *Call) Address(at uint64, size int) (Address, error) {
	const longest = 128 // sizeof(struct sockaddr_storage)
	if size < 2 || size > longest {
		return Address{}, unix.EINVAL
	}
	b, err := c.Bytes(at, size)
	if err != nil {
		return Address{}, err
	}
	return parseAddress(b)
}

var errShortAddress = errors.New("the socket address is too short")

func parseAddress(b []byte) (Address, error) {
	if len(b) < 2 {
		return Address{}, errShortAddress
	}
	a := Address{Family: int(binary.NativeEndian.Uint16(b))}
	switch a.Family {
	case unix.AF_INET:
		if len(b) < 8 {
			return a, errShortAddress
		}
		a.IP = netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[2:]))
	case unix.AF_INET6:
		if len(b) < 24 {
			return a, errShortAddress
		}
		a.IP = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])).Unmap(), binary.BigEndian.Uint16(b[2:]))
	case unix.AF_UNIX:
		name := string(b[2:])
		if strings.HasPrefix(name, "\x00") && len(name) > 1 {
			a.Path = "@" + name[1:]
			break
		}
		a.Path, _, _ = strings.Cut(name, "\x00")
	}
	return a, nil
}
