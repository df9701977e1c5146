package exec

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxFile is the maximum size of an argument's file, in bytes.
const maxFile = 16 << 20

// ReadsFile reports whether the value of a word is, or could be, read from a file.
func ReadsFile(word string) bool {
	_, text, _ := strings.Cut(word, "=")
	return strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "@@")
}

// text returns the value of a word, and the path of the file that the value is read from,
// or "" if the value is in the word. In a value that begins with @@, the first @ is
// dropped. The path in key=@path must begin with /, ./ or ../: other texts with an @, such
// as @octocat and @types/node, are an error, so that none is mistaken for a file. JSON
// never begins with an @, so key:=@path takes any path.
func (p *parser) text(key, value string, isJSON bool) (text, path string, err error) {
	path, at := strings.CutPrefix(value, "@")
	switch {
	case !at:
		return value, "", nil
	case isJSON, isPath(path):
		if text, err = p.file(key, path); isJSON {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		return text, path, err
	case strings.HasPrefix(path, "@"):
		return path, "", nil
	}
	return "", "", fmt.Errorf("%.80q can be a text or a file: for the text, write %s=@%[1]s; for the file, write %[2]s=@./%[3]s", value, key, path)
}

// isPath reports whether a text begins with /, ./ or ../, or is an absolute path on this system.
func isPath(path string) bool {
	path = filepath.ToSlash(path)
	return filepath.IsAbs(path) || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../")
}

// file reads the file of an argument. The file may be a pipe.
func (p *parser) file(key, path string) (string, error) {
	name := files.Absolute(p.dir, path)
	text, err := terminal.Await(p.ctx, func() ([]byte, error) {
		f, err := os.Open(name) //nolint:gosec // the user names the file
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // it was only read
		return io.ReadAll(io.LimitReader(f, maxFile+1))
	})
	switch {
	case err != nil:
		return "", unread(key, path, terminal.WithoutPath(err))
	case len(text) > maxFile:
		return "", unread(key, path, fmt.Sprintf("it has more than %d MB", maxFile>>20))
	}
	if err := texts.CheckUTF8(text); err != nil {
		return "", unread(key, path, "it is "+err.Error())
	}
	return string(text), nil
}

func unread(key, path, why string) error {
	return fmt.Errorf("%.80s=@%.200s: the file cannot be read: %s", key, path, why)
}
