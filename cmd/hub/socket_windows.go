package hub

import (
	"context"
	"crypto/rand"
	"net"

	"github.com/Microsoft/go-winio"

	"github.com/toolscript/toolscript/internal/proc"
)

// listenAt makes a named pipe that only this user can open, and returns its path. Its name is random, so that no
// other process can make it first; the entry in the private folder has it. A file is not needed.
func listenAt(string) (net.Listener, string, error) {
	owner, err := proc.OwnerDescriptor()
	if err != nil {
		return nil, "", err
	}
	path := `\\.\pipe\toolscript-hub-` + rand.Text()
	listener, err := winio.ListenPipe(path, &winio.PipeConfig{SecurityDescriptor: owner})
	if err != nil {
		return nil, "", err
	}
	return listener, path, nil
}

// dialAt connects to a named pipe.
func dialAt(ctx context.Context, path string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, path)
}
