package worker

import (
	"errors"

	"github.com/toolscript/toolscript/internal/rawio"
)

// A duplex is one side of a pair of pipes: it reads from one and writes to the other.
type duplex struct{ in, out *rawio.File }

func (d *duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d *duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
func (d *duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }
