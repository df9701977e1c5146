package embedding

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// MaxFrame bounds a frame: a vector of 8,192 values has about 100 KB, and a text is
// bounded by embedding.Clip.
const MaxFrame = 1 << 20

// The frames: one Hello, then an Answer for each Request.
type (
	// Hello says that the model is loaded.
	Hello struct {
		Dim int `json:"dim"`
	}
	// Request asks for the vector of a text.
	Request struct {
		Text string `json:"text"`
	}
	// Answer is the vector of the model, or the reason why there is none.
	Answer struct {
		Vector []float32 `json:"vector,omitempty"`
		Error  string    `json:"error,omitempty"`
	}
)

// WriteFrame sends a frame: its length in four bytes, big endian, and its JSON.
func WriteFrame(w io.Writer, frame any) error {
	body, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if len(body) > MaxFrame {
		return fmt.Errorf("a frame of %d bytes exceeds the limit of %d", len(body), MaxFrame)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

// ReadFrame reads the next frame. The error is io.EOF if the other side closed.
func ReadFrame(r io.Reader, frame any) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(length[:])
	if size > MaxFrame {
		return fmt.Errorf("a frame of %d bytes exceeds the limit of %d", size, MaxFrame)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return fmt.Errorf("a frame ends early: %w", err)
	}
	return json.Unmarshal(body, frame)
}
