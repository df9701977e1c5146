package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript/transport/upstream"
)

// Conversions of patches. For a hostile patch, their time grows with the square of its length.
var (
	// Reading parses a patch. Its input is the text, and its output the Patch as JSON.
	Reading = upstream.ConvertKind{Name: "patch", Most: 6*maxSize + 1<<20, Do: readPatch}

	// Applying applies hunks to a file. Its input is an applyInput and the text of the
	// file, and its output the new text.
	Applying = upstream.ConvertKind{Name: "patched", Most: 128 << 20, Do: convertPatch}
)

type applyInput struct {
	Hunks   []Hunk
	Deletes bool // see CheckDeleted
}

// A Worker reads and applies patches in a worker process; without a Port, in this process.
type Worker struct{ Port upstream.ConvertPort }

// Parse is like the function Parse.
func (w Worker) Parse(ctx context.Context, text string) (p Patch, err error) {
	if len(text) > maxSize {
		return Patch{}, tooLong(text)
	}
	out, err := Reading.Convert(ctx, w.Port, [][]byte{[]byte(text)}, nil)
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	return p, err
}

// Apply is like the function Apply.
func (w Worker) Apply(ctx context.Context, text string, hunks []Hunk) (string, error) {
	return w.apply(ctx, text, applyInput{Hunks: hunks})
}

// CheckDeleted is like the function CheckDeleted.
func (w Worker) CheckDeleted(ctx context.Context, text string, hunks []Hunk) error {
	if len(hunks) == 0 {
		return nil
	}
	_, err := w.apply(ctx, text, applyInput{Hunks: hunks, Deletes: true})
	return err
}

func (w Worker) apply(ctx context.Context, text string, in applyInput) (string, error) {
	input, err := upstream.Pack(in, []byte(text))
	if err != nil {
		return "", err
	}
	out, err := Applying.Convert(ctx, w.Port, input, nil)
	return string(out), err
}

func tooLong(text string) error {
	return fmt.Errorf("the patch has %d bytes; the limit is %d", len(text), maxSize)
}

func readPatch(input []byte, _ upstream.ConvertNeed) ([][]byte, error) {
	p, err := Parse(string(input))
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(p)
	return [][]byte{out}, err
}

func convertPatch(input []byte, _ upstream.ConvertNeed) ([][]byte, error) {
	var in applyInput
	texts, err := upstream.Unpack(input, &in)
	if err != nil || len(texts) != 1 {
		return nil, errors.Join(err, errors.New("a fault of toolscript: there is no text"))
	}
	if in.Deletes {
		return nil, CheckDeleted(context.Background(), string(texts[0]), in.Hunks)
	}
	text, err := Apply(context.Background(), string(texts[0]), in.Hunks)
	return [][]byte{[]byte(text)}, err
}
