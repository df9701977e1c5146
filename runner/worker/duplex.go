package worker

import (
	"errors"

	"github.com/toolscript/toolscript/rawio"
)

// A duplex is an end of two pipes.
type duplex struct{ in, out *rawio.File }

func (d *duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d *duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
func (d *duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }
