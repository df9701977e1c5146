package hook

import (
	"errors"
	"os"
	"strings"
)

// Export appends a variable to the file CLAUDE_ENV_FILE, which the client's shell reads
// before each command.
func Export(path, name, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600) //nolint:gosec // the client names the file
	if err != nil {
		return err
	}
	_, err = f.WriteString("export " + name + "=" + quote(value) + "\n")
	return errors.Join(err, f.Close())
}

// quote returns a text as one quoted word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
