package secrets

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// Bounds of a value, in bytes. A shorter value could be a part of other words, so that it could
// not be removed from texts of servers. Of a longer value, a text could contain only a part.
const (
	MinValue = 8
	MaxValue = 4096
)

var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,99}$`) })

// CheckName returns an error if a text is not the name of a secret. The error does not
// contain the text, because it may be a value in the wrong place.
func CheckName(text string) error {
	if name().MatchString(text) {
		return nil
	}
	if before, _, ok := strings.Cut(text, "="); ok && name().MatchString(before) {
		return fmt.Errorf("the value is not an argument, because other programs see arguments; run: %s, and type the value or pipe it to the command", toolscript.Command("secret", "set", before))
	}
	return errors.New("the name of a secret has at most 100 letters of ASCII, digits, underscores, hyphens and dots, and begins with a letter or an underscore, such as GITHUB_TOKEN")
}

// CheckValue returns an error if a text cannot be a value. The error does not contain the
// text.
func CheckValue(text string) error {
	switch {
	case text == "":
		return errors.New("the value is empty")
	case len(text) < MinValue:
		return fmt.Errorf("the value has less than %d bytes, so that it could not be found and removed in logs and records; if it is no secret, use a variable: ${NAME}", MinValue)
	case len(text) > MaxValue:
		return fmt.Errorf("the value has more than %d bytes; keep it in a file, and give the server the path", MaxValue)
	case !utf8.ValidString(text):
		return fmt.Errorf("the value is %w", texts.CheckUTF8([]byte(text)))
	case strings.ContainsRune(text, 0):
		return errors.New("the value has a zero byte")
	}
	return nil
}
