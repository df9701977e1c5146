package discovery

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/api"
)

// TokenOf reads the secret of a gateway from a file. A missing file is created with a new
// secret, and is readable by the user alone.
func TokenOf(path string, warn func(format string, args ...any)) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the user names the file
	if errors.Is(err, fs.ErrNotExist) {
		token := api.NewToken()
		return token, files.WriteSynced(path, []byte(token+"\n"))
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := files.CheckPrivate(path); err != nil {
		warn("the secret of the gateway: %v", err)
	}
	return ReadToken(f, path)
}

// ReadToken reads the secret of a gateway from the first line of r. from names the source
// in errors.
func ReadToken(r io.Reader, from string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxToken)).ReadString('\n')
	if token := strings.TrimSpace(line); token != "" {
		return token, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return "", errors.Join(errors.New(from+" has no secret in its first line"), err)
}

// maxToken is the maximum length of the line with a secret, in bytes.
const maxToken = 1 << 10
