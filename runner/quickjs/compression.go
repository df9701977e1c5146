package quickjs

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
)

// portion is the size of the pieces in which the host compresses and decompresses, in bytes.
// After each piece, it checks the limits of the run.
const portion = 64 << 10

// conversion compresses or decompresses bytes in steps. The prelude passes the input to each
// step, and finishes a conversion before the script continues, so there is only one at a
// time. The host holds one piece of the result; the others are in the memory of the script.
type conversion struct {
	run  *run
	data []byte // the input, valid until the instance runs again
	at   int    // number of bytes of data that are processed
	next func() ([]byte, error)
}

var (
	errStopped = errors.New("the run must stop")
	errMore    = errors.New("more data follows the end of the stream")
)

// convert(whether to decompress, format): begins a conversion
func (r *run) convert(a arguments) handle {
	c := &conversion{run: r}
	if a.integer(0) != 0 {
		c.next = c.decompressing(a.text(1))
	} else {
		c.next = c.compressing(r.encoder(a.text(1)))
	}
	r.conversion = c
	return r.instance.undefined()
}

// converted(input) → Uint8Array with the next piece, undefined at the end, or 0 if the input
// is not valid
func (r *run) converted(a arguments) handle {
	c := r.conversion
	c.data = r.instance.bytesOf(a.at(0))
	switch out, err := c.next(); {
	case err != nil:
		return r.integer(0)
	case len(out) == 0:
		return r.instance.undefined()
	default:
		return r.instance.newBytes(out)
	}
}

// encoder is a compressing writer of the standard library.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// encoders maps formats to encoders.
type encoders map[string]encoder

// encoder returns the encoder of a format. The run reuses it, because a new encoder needs a
// megabyte.
func (r *run) encoder(format string) encoder {
	made := r.encoders[format]
	if made != nil {
		return made
	}
	switch format {
	case "gzip":
		made = gzip.NewWriter(nil)
	case "deflate":
		made = zlib.NewWriter(nil)
	default:
		made, _ = flate.NewWriter(nil, flate.DefaultCompression) // only fails for an invalid level
	}
	if r.encoders == nil {
		r.encoders = encoders{}
	}
	r.encoders[format] = made
	return made
}

func (c *conversion) compressing(to encoder) func() ([]byte, error) {
	var out bytes.Buffer
	to.Reset(&out)
	ended := false
	return func() ([]byte, error) {
		out.Reset()
		for out.Len() < portion && !ended {
			if c.run.stops() {
				return nil, errStopped
			}
			n := min(portion, len(c.data)-c.at)
			_, err := to.Write(c.data[c.at : c.at+n])
			if c.at += n; c.at == len(c.data) {
				ended = true
				err = errors.Join(err, to.Close())
			}
			if err != nil { // never happens with a bytes.Buffer
				return nil, err
			}
		}
		return out.Bytes(), nil
	}
}

func (c *conversion) decompressing(format string) func() ([]byte, error) {
	var from io.Reader
	buffer, ended := make([]byte, portion), false
	return func() (_ []byte, err error) {
		if from == nil {
			if from, err = decoder(format, c); err != nil {
				return nil, err
			}
		}
		n := 0
		for n < len(buffer) && err == nil && !ended {
			var more int
			more, err = from.Read(buffer[n:])
			n += more
		}
		if errors.Is(err, io.EOF) {
			ended, err = true, nil
			if c.at < len(c.data) {
				err = errMore
			}
		}
		return buffer[:n], err
	}
}

// decoder returns a reader that decompresses from. A gzip file may consist of several members.
func decoder(format string, from io.Reader) (io.Reader, error) {
	switch format {
	case "gzip":
		return gzip.NewReader(from)
	case "deflate":
		return zlib.NewReader(from)
	default:
		return flate.NewReader(from), nil
	}
}

// Read implements io.Reader. It stops at the limits of the run, because a decoder can read
// some inputs for seconds without a result.
func (c *conversion) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := c.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	n := copy(p[1:], c.data[c.at:min(len(c.data), c.at-c.at%portion+portion)])
	c.at += n
	return n + 1, nil
}

// ReadByte implements io.ByteReader. With it, decoders do not read beyond the end of their
// stream.
func (c *conversion) ReadByte() (byte, error) {
	switch {
	case c.at == len(c.data):
		return 0, io.EOF
	case c.at%portion == 0 && c.run.stops():
		return 0, errStopped
	}
	c.at++
	return c.data[c.at-1], nil
}
