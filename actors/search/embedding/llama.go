package embedding

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
)

// ProgramName is the name of the program, without the ".exe" of Windows.
const ProgramName = "toolscript-llama"

// LlamaOptions have the absolute paths of the files.
type LlamaOptions struct {
	Program string // toolscript-llama
	Library string // folder of LibraryName and the files that it needs
	Model   string // a GGUF file
}

// Check reports a missing or unusable file, with the remedy. Its errors are of kind
// Invalid, because a retry does not help.
func (o LlamaOptions) Check() error {
	for what, path := range map[string]string{"program": o.Program, "library folder": o.Library, "model": o.Model} {
		if !filepath.IsAbs(path) {
			return invalidLlama("the %s %q is not an absolute path", what, path)
		}
	}
	if err := checkModel(o.Model); err != nil { // checked first, because a wrong path can be corrected without building the program
		return invalidLlama("the model cannot be used: %w", err)
	}
	if _, err := os.Stat(o.Program); err != nil {
		return invalidLlama("a GGUF model needs the program %s: %w; build it with: go build ./cmd/%s, and put it into the folder of toolscript or name it in TOOLSCRIPT_LLAMA", ProgramName, err, ProgramName)
	}
	if err := checkLibrary(o.Library); err != nil {
		return invalidLlama("the llama library cannot be used: %w", err)
	}
	return nil
}

// checkModel checks the magic number: after a clone without git-lfs the file is a
// text.
func checkModel(path string) error {
	magic, size, err := head(path)
	if err != nil {
		return err
	}
	if magic != "GGUF" {
		return fmt.Errorf("%s (%d bytes) is not a GGUF file; a file of about 130 bytes is a pointer of git-lfs: run git lfs pull", path, size)
	}
	return nil
}

// head returns the first bytes and the size of a file.
func head(path string) (magic string, size int64, err error) {
	file, err := os.Open(path) //nolint:gosec // the user's own configuration
	if err != nil {
		return "", 0, err
	}
	defer file.Close() //nolint:errcheck // opened for reading
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, fmt.Errorf("%s is not a file", path)
	}
	first := make([]byte, 4)
	if _, err := io.ReadFull(file, first); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, err
	}
	return string(first), info.Size(), nil
}

// identify returns the hash of the model file, so that vectors of two models called
// model.gguf are not mixed. It takes about 0.5 s per gigabyte.
func identify(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own configuration
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // opened for reading
	sum := sha256.New()
	if _, err := io.Copy(sum, contextReader{ctx, file}); err != nil {
		return "", err
	}
	return "gguf-" + Slug(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))) + "-" + hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

// contextReader returns an error when ctx ends.
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

func invalidLlama(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

func unavailable(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf(format, args...)}
}
