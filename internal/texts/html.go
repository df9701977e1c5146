package texts

import (
	"fmt"
	"html"
)

// HTML returns a part of a page: the format of fmt, with every value escaped. The values become texts of elements, or
// attributes in quotes. They must not stand in scripts, styles or URLs, where other characters have a meaning.
//
// See docs/design/processes.md, "Why does the program not use html/template?".
func HTML(format string, values ...string) string {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(v)
	}
	return fmt.Sprintf(format, escaped...)
}
