package embedding

import (
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/toolscript/toolscript/internal/rawio"
)

// maxFrame bounds a frame: a vector of 8,192 values has about 100 KB, and a text is
// bounded by embedding.Clip.
const maxFrame = 1 << 20

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

var frames = rawio.Frames{Order: binary.BigEndian, Most: maxFrame}

// WriteFrame sends a frame, in JSON.
func WriteFrame(w io.Writer, frame any) error {
	body, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return frames.Write(w, 0, body)
}

// ReadFrame reads the next frame. The error is io.EOF if the other side closed.
func ReadFrame(r io.Reader, frame any) error {
	_, body, err := frames.Read(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, frame)
}
