//go:build !unix

package api

import "math"

// descriptors returns math.MaxInt, because this system has no limit of open descriptors.
func descriptors() int { return math.MaxInt }
