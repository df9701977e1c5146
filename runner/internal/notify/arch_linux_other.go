//go:build linux && !amd64 && !arm64

package notify

const architecture = 0 // not supported yet
