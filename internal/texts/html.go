package texts

import (
	"fmt"
	"html"
)

// HTML returns a part of a page: it escapes all values and inserts them into a format of package fmt. A value may stand
// in the text of an element or in a quoted attribute. It must not stand in a script, a style or a URL: the escapes do
// not protect these.
//
// See docs/design/processes.md, "Why does the program not use html/template?".
func HTML(format string, values ...string) string {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(v)
	}
	return fmt.Sprintf(format, escaped...)
}
