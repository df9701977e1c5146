package terminal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
)

// BytesPerToken is the estimated length of a token. English text and JSON have 3 to 5 bytes
// per token.
const BytesPerToken = 4

// ValuePrinter prints values. If Most is 0, Describe is false and Dir is "", values are printed
// unchanged.
type ValuePrinter struct {
	Most     int  // maximum number of bytes of JSON; 0: no limit
	Describe bool // replace binary data by descriptors
	// Keep stores a whole value for the command toolscript output.
	Keep func(runID string, value []byte) error
	Say  func(format string, args ...any) // prints a notice
	File string                           // file for the whole value, instead of the output; "": no file
	// Dir is a folder for the images and files of the value; "": no folder. The printed
	// value contains their names, below DirName.
	Dir, DirName string
	// Write writes the text of a value. Nil means to write the text and a newline.
	Write func(w io.Writer, text []byte) error
}

// ValuePart describes a shortened value in the output of --json.
type ValuePart struct {
	Bytes  int    `json:"bytes"`  // length of the whole value as JSON
	Tokens int    `json:"tokens"` // estimated
	Read   string `json:"read"`   // command that prints the whole value

	Cut  bool `json:"-"` // the text is only the beginning, even apart from binary data
	Next int  `json:"-"` // offset of the first byte that is not in the text; 0 if binary data is also missing
}

// Text returns the text to print: compact JSON. If it is not the whole value, Text stores
// the value, and part describes it. A value that cannot be stored is returned whole. The
// error says which files were not written to Dir; text is valid even then.
func (p ValuePrinter) Text(runID string, value json.RawMessage) (text []byte, part *ValuePart, unwritten error) {
	if !p.Describe && p.Most == 0 && p.Dir == "" {
		return value, nil, nil
	}
	text, whole := value, value
	var left []blob // descriptors without a file
	switch {
	case p.Dir != "":
		if text, left, unwritten = p.writeFiles(runID, value); len(left) == 0 {
			whole = text // the files and text have the whole value
		}
	case p.Describe:
		text, left = describeBlobs(runID, value)
	}
	short, read := text, len(text)
	if p.Most > 0 {
		short, read = cut(text, p.Most)
	}
	if len(left) == 0 && len(short) == len(whole) {
		return whole, nil, unwritten
	}
	if err := p.Keep(runID, whole); err != nil {
		p.Say("toolscript: warning: the whole value is printed, because it cannot be stored: %s", WithoutPath(err))
		return whole, nil, unwritten
	}
	if len(left) > 0 && unwritten == nil {
		p.Say("toolscript: %s", blobNotice(runID, left))
	}
	command := readCommand(runID)
	if read < len(text) {
		rest := command
		if len(left) == 0 {
			rest += fmt.Sprintf(" --range %d-%d", read, read+p.Most-1)
		}
		p.Say("toolscript: the value is %d bytes of JSON, about %d tokens; this is only the beginning; read on with: %s", len(whole), len(whole)/BytesPerToken, rest)
	}
	part = &ValuePart{Bytes: len(whole), Tokens: len(whole) / BytesPerToken, Read: command, Cut: read < len(text)}
	if len(left) == 0 {
		part.Next = read
	}
	return short, part, unwritten
}

// readCommand returns the command that prints the whole value of a run.
func readCommand(runID string) string { return toolscript.Command("output", runID, "--value") }

// Creatable returns an error if WriteFile could not write a file. It is called before the
// script runs.
func Creatable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil // opening a pipe would block until it has a reader
	}
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // G304: the file that the user names
	} else if f, err = os.CreateTemp(filepath.Dir(path), ".toolscript-*"); err == nil {
		defer func() { _ = os.Remove(f.Name()) }() //nolint:gosec // created only for the check
	}
	if err != nil {
		return fmt.Errorf("--out %s cannot be written, so nothing was run: %s", path, WithoutPath(err))
	}
	return f.Close()
}

// Print writes a value to the file, or its text and a newline to w.
func (p ValuePrinter) Print(w io.Writer, runID string, value json.RawMessage) error {
	if p.File != "" {
		return p.WriteFile(runID, value)
	}
	text, _, unwritten := p.Text(runID, value)
	if p.Write != nil {
		return cmp.Or(p.Write(w, text), unwritten)
	}
	_, err := w.Write(append(text, '\n'))
	return cmp.Or(err, unwritten)
}

// WriteFile writes a whole value to the file: binary content as bytes, any other value as a
// line of JSON. If that fails, it stores the value, and the error has the command that
// prints it.
func (p ValuePrinter) WriteFile(runID string, value json.RawMessage) error {
	data, err := ValueFile(value, "", false)
	if p.Write != nil && err == nil && bytes.Equal(data, append(bytes.Clone(value), '\n')) { // it is not binary content
		var text bytes.Buffer
		err = p.Write(&text, value)
		data = text.Bytes()
	}
	if err == nil {
		err = os.WriteFile(p.File, data, 0o600)
	}
	if err == nil {
		return nil
	}
	if kept := p.Keep(runID, append(value, '\n')); kept != nil {
		return fmt.Errorf("the value could not be written: %w; and it could not be stored: %s", err, WithoutPath(kept))
	}
	return fmt.Errorf("the value could not be written: %w; read it with: %s", err, readCommand(runID))
}
