package openapi

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
)

// decode decompresses the body of an answer while it is read. net/http has decompressed what is
// called gzip.
func decode(answer *http.Response) {
	var begin func(*bufio.Reader) (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(answer.Header.Get("Content-Encoding"))) {
	case "x-gzip", "gzip":
		begin = func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		begin = inflate
	default:
		return
	}
	answer.Body = &decoded{body: answer.Body, begin: begin}
	answer.ContentLength = -1 // it is that of the compressed body
	answer.Header.Del("Content-Encoding")
	answer.Header.Del("Content-Length")
}

// inflate reads what is called deflate: the format of zlib, or, of some servers, without its head.
func inflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// decoded is a compressed body. An empty one is empty.
type decoded struct {
	body  io.ReadCloser
	begin func(*bufio.Reader) (io.Reader, error)
	from  io.Reader // nil before the first Read
}

func (d *decoded) Read(p []byte) (int, error) {
	if d.from == nil {
		r := bufio.NewReader(d.body)
		if _, err := r.Peek(1); err != nil {
			return 0, err // io.EOF if it is empty
		}
		from, err := d.begin(r)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		d.from = from
	}
	return d.from.Read(p)
}

func (d *decoded) Close() error { return d.body.Close() }
