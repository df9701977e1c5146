package config

import (
	"bytes"
	"errors"
	"io/fs"
)

// Mentions reports whether the text of a configuration file contains a word. It takes a
// hundredth of the time of Load, and serves commands that need one setting which most files
// lack. It also reports true if a file cannot be read.
func Mentions(o Options, word string) bool {
	files, err := Locate(o)
	if err != nil {
		return true
	}
	for _, file := range files {
		text, err := read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}
