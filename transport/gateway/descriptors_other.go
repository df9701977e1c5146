//go:build !unix

package gateway

import "math"

// descriptors is the limit of open descriptors. This system has no such limit.
func descriptors() int { return math.MaxInt }
