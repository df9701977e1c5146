//go:build linux && !amd64 && !arm64

package confine

// Architecture is the one of the system calls that the filters know; 0: none.
const Architecture = 0

// allowed is empty: there is no list for this architecture.
var allowed []uint32

var limitedHere []limit
