package texts

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// CheckUTF8 returns an error that says what a text is, if it is not UTF-8, and what to do, such as "not UTF-8 text (it looks
// like UTF-16); save it as UTF-8".
func CheckUTF8(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	why := "it looks like UTF-16"
	if !IsUTF16(text) {
		number := 0
		for line := range bytes.Lines(text) {
			if number++; !utf8.Valid(line) {
				break
			}
		}
		why = fmt.Sprintf("the first wrong line is %d", number)
	}
	return fmt.Errorf("not UTF-8 text (%s); save it as UTF-8", why)
}

// IsUTF16 reports whether a text begins with a byte order mark of UTF-16. PowerShell 5 writes such texts.
func IsUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}
