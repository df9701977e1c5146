package upstream

import (
	"errors"

	"github.com/toolscript/toolscript"
)

// ErrNoCapability is wrapped by the error of Fetch if the server did not announce the
// requested capability in the handshake.
var ErrNoCapability = errors.New("the server lacks the capability")

// ErrUnreachable is wrapped by the error of a request that was certainly not sent
// because the server cannot be reached.
var ErrUnreachable = errors.New("the server cannot be reached")

// ErrFault is the reason for the end of a connection after a panic in one of its
// goroutines.
var ErrFault error = &toolscript.Error{
	Kind: toolscript.Internal,
	Err:  errors.New("a fault of toolscript ended the connection; the log has its stack"),
}
