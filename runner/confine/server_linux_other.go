//go:build linux && !amd64 && !arm64

package confine

var (
	refusedToServersHere map[uint32]string
	changesOfFilesHere   []uint32
)
