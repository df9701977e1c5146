// Package llama computes embeddings with a GGUF model in a program of its own,
// toolscript-llama: the library that reads such models panics where its C library
// is missing, and aborts the process on a damaged model. This package is both
// sides of the pipe between them, and the gateway's hold on the process.
package llama

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/embedding"
)

// ProgramName is what the program is called, without the ".exe" of Windows.
const ProgramName = "toolscript-llama"

// Options say what is started. All three are absolute paths.
type Options struct {
	Program string // toolscript-llama
	Library string // the folder that holds LibraryName and what that needs
	Model   string // a GGUF file
}

// Check says what is missing, and what to do about it. Its errors are of kind
// Invalid: waiting does not help.
func (o Options) Check() error {
	for what, path := range map[string]string{"program": o.Program, "library folder": o.Library, "model": o.Model} {
		if !filepath.IsAbs(path) {
			return invalid("the %s %q is not an absolute path", what, path)
		}
	}
	if err := checkModel(o.Model); err != nil { // first: a misspelt path is no reason to build a program
		return invalid("the model cannot be used: %w", err)
	}
	if _, err := os.Stat(o.Program); err != nil {
		return invalid("a GGUF model needs the program %s: %w; build it with: go build ./cmd/%s, beside toolscript or where TOOLSCRIPT_LLAMA says", ProgramName, err, ProgramName)
	}
	if err := checkLibrary(o.Library); err != nil {
		return invalid("the llama library cannot be used: %w", err)
	}
	return nil
}

// checkModel looks at the first bytes: a clone without git-lfs has a text there.
func checkModel(path string) error {
	magic, size, err := head(path)
	if err != nil {
		return err
	}
	if magic != "GGUF" {
		return fmt.Errorf("%s (%d bytes) is no GGUF file; a file of about 130 bytes is a pointer of git-lfs: run git lfs pull", path, size)
	}
	return nil
}

// head is the beginning and the size of a file.
func head(path string) (magic string, size int64, err error) {
	file, err := os.Open(path) //nolint:gosec // the user's own configuration
	if err != nil {
		return "", 0, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, fmt.Errorf("%s is no file", path)
	}
	first := make([]byte, 4)
	if _, err := io.ReadFull(file, first); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, err
	}
	return string(first), info.Size(), nil
}

// identify names a model by its file: vectors of two contents must not meet,
// also when both were called model.gguf. It takes about 0.5 s a gigabyte.
func identify(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own configuration
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	sum := sha256.New()
	if _, err := io.Copy(sum, contextReader{ctx, file}); err != nil {
		return "", err
	}
	return "gguf-" + embedding.Slug(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))) + "-" + hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

// contextReader fails when ctx ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

func unavailable(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf(format, args...)}
}
