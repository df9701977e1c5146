//go:build unix

package hub

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
)

// listenAt replaces a socket, and returns its path.
func listenAt(path string) (net.Listener, string, error) {
	short, err := socketPath(path)
	if err != nil {
		return nil, "", err
	}
	if err := os.Remove(short); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	listener, err := net.Listen("unix", short) //nolint:noctx // a local socket does not block
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(short, 0o600); err != nil { // the folder is private already
		return nil, "", errors.Join(err, listener.Close())
	}
	return listener, path, nil
}

// dialAt connects to a socket.
func dialAt(ctx context.Context, path string) (net.Conn, error) {
	path, err := socketPath(path)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
