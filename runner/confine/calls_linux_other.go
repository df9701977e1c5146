//go:build linux && !amd64 && !arm64

package confine

const architecture = 0

// allowed is empty: there is no list for this architecture.
var allowed []uint32

var limitedHere []limit
