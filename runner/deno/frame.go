package deno

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// The types of frames from a process. A frame is the length of the payload in four bytes,
// little endian, the type in one byte, and the payload.
const (
	frameReady  = 'r' // the process waits for a run
	frameOut    = 'o' // text for standard output
	frameErr    = 'e' // text for standard error
	frameAsk    = '?' // a question; the script is blocked until the answer arrives
	frameCall   = 'c' // a tool call: callHeader, and its arguments in the next line
	frameCancel = 'k' // the number of a call that the script cancels
	frameNotice = 'n' // a notice for the author of the script
	frameValue  = 'v' // the end: the script's value as JSON, "" for undefined
	frameFailed = 'f' // the end: an uncaught error
	frameExit   = 'x' // the end: the script called exit
)

const (
	frameHeader = 5
	// maxFrame bounds the payload of a frame, which the gateway holds in memory. The longest
	// value of a run is shorter.
	maxFrame = 32 << 20
)

// tooLong is the error for a frame that exceeds maxFrame.
type tooLong struct {
	kind byte
	size int
}

func (e *tooLong) Error() string { return fmt.Sprintf("a message of %d bytes", e.size) }

func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	size := int(binary.LittleEndian.Uint32(header[:4]))
	if size > maxFrame {
		return 0, nil, &tooLong{header[4], size}
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, fmt.Errorf("a message ends early: %w", err)
	}
	return header[4], payload, nil
}

// writeMessage writes a message for the loader: the length, then JSON.
func writeMessage(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	message := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text)))
	_, err = w.Write(append(message, text...))
	return err
}
