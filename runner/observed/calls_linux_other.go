//go:build linux && !amd64 && !arm64

package observed

// legacy returns calls that only some architectures have.
func legacy() map[uint32]systemCall { return nil }
