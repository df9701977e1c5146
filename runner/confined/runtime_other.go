//go:build !linux && !darwin

package confined

// systemPaths is empty: servers are not confined on this system.
var systemPaths []string
