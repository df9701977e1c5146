package server

import "github.com/toolscript/toolscript/transport/upstream"

// Conn is upstream.Connection.
type Conn = upstream.Connection

// Dial is upstream.Dial.
type Dial = upstream.Dial
