//go:build linux && !amd64 && !arm64

package confine

var refusedHere, ownersHere, modesHere, timesHere map[uint32]string
