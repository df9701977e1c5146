package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawio"
)

const (
	partSize = 1 << 20 // maximal size of a part of a long text, in bytes

	// sizeSize is the size of the length of a text, with which the payload of its first frame begins.
	sizeSize = 8

	// believed bounds the memory that is allocated for an announced text before it arrives.
	believed = 8 << 20
)

// writeLong sends a header and a text of any length, the concatenation of parts. A text
// longer than partSize follows in frames of type framePart.
func (l *link) writeLong(t frameType, header any, parts [][]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	first := [][]byte{binary.BigEndian.AppendUint64(nil, uint64(size)), text, {'\n'}}
	if size <= partSize {
		return l.write(t, append(first, parts...)...)
	}
	if err := l.write(t, first...); err != nil {
		return err
	}
	frame, length := [][]byte{}, 0
	for _, part := range parts {
		for len(part) > 0 {
			n := min(len(part), partSize-length)
			frame, length, part = append(frame, part[:n]), length+n, part[n:]
			if length < partSize {
				continue
			}
			if err := l.write(framePart, frame...); err != nil {
				return err
			}
			frame, length = frame[:0], 0
		}
	}
	if length == 0 {
		return nil
	}
	return l.write(framePart, frame...)
}

// readLong receives what writeLong sends. most bounds the text, in bytes; 0 means no bound.
func (l *link) readLong(most int) (t frameType, header, raw []byte, err error) {
	t, payload, err := l.read()
	if err != nil {
		return 0, nil, nil, err
	}
	if len(payload) < sizeSize {
		return 0, nil, nil, io.ErrUnexpectedEOF
	}
	announced := binary.BigEndian.Uint64(payload)
	if most > 0 && announced > uint64(most) {
		return 0, nil, nil, tooLong(most)
	}
	size := int(announced)
	header, raw, _ = bytes.Cut(payload[sizeSize:], []byte{'\n'})
	if size <= partSize {
		if len(raw) != size {
			return 0, nil, nil, errLength
		}
		return t, header, raw, nil
	}
	raw = make([]byte, 0, size)
	if most > 0 {
		raw = make([]byte, 0, min(size, believed))
	}
	for len(raw) < size {
		if raw, err = l.readPart(raw, size); err != nil {
			return 0, nil, nil, err
		}
	}
	return t, header, raw, nil
}

var errLength = errors.New("a text has another length than announced")

// readPart receives a framePart and appends it to a text that will have size bytes.
func (l *link) readPart(text []byte, size int) ([]byte, error) {
	kind, n, err := frames.ReadHead(l.r)
	if err != nil {
		return nil, rawio.Unexpected(err)
	}
	if frameType(kind) != framePart || n == 0 || n > partSize || n > size-len(text) {
		return nil, errLength
	}
	at := len(text)
	text = slices.Grow(text, n)[:at+n]
	_, err = io.ReadFull(l.r, text[at:])
	return text, rawio.Unexpected(err)
}

func tooLong(most int) error {
	return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the result has more than %d MB", most>>20)}
}

// convertHeader is the header of a frameConvert: the name of the Conversion.
type convertHeader struct {
	Name string `json:"name"`
}

// needHeader is the header of a frameNeed: the name of the input that a conversion needs.
type needHeader struct {
	Name string `json:"name"`
}

// outcome is the result of a conversion or of a request for input: an error, or success if
// Kind is empty. Then a text follows.
type outcome struct {
	Kind  toolscript.Kind `json:"kind,omitempty"`
	Error string          `json:"error,omitempty"`
}

func outcomeOf(err error) outcome {
	if err == nil {
		return outcome{}
	}
	return outcome{Kind: toolscript.KindOf(err), Error: err.Error()}
}

// err returns the error, or nil. The kind Internal becomes an error without a kind.
func (o outcome) err() error {
	switch o.Kind {
	case "":
		return nil
	case toolscript.Internal:
		return errors.New(o.Error)
	default:
		return &toolscript.Error{Kind: o.Kind, Err: errors.New(o.Error)}
	}
}

// resultOf decodes the header of a frameConverted or frameGiven, and returns raw or the error.
func resultOf(header, raw []byte) ([]byte, error) {
	var o outcome
	if err := json.Unmarshal(header, &o); err != nil {
		return nil, err
	}
	return raw, o.err()
}

// split decodes the JSON header of a payload and returns the bytes after it.
func split(payload []byte, header any) (raw []byte, err error) {
	text, raw, _ := bytes.Cut(payload, []byte{'\n'})
	return raw, json.Unmarshal(text, header)
}

// writeParts sends the buffered frames and then parts, which it does not copy.
func (l *link) writeParts(parts [][]byte) error {
	if err := l.send(); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := l.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
