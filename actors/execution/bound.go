package execution

import (
	"fmt"

	"github.com/toolscript/toolscript"
)

const (
	// mostText is the longest text of an error, in bytes. A script can throw one of
	// megabytes, and the records of ended runs keep their errors.
	mostText = 64 << 10
	// mostMetadata is how many members the metadata of an error has at most; ours
	// have six.
	mostMetadata = 16
)

// bound cuts what a script, or whoever has its process in hand, has put into an
// error.
func bound(e *toolscript.RunError) {
	for _, text := range []*string{
		&e.Name, (*string)(&e.Code), &e.Message, (*string)(&e.Phase), &e.ToolName, &e.CallID, &e.Stack, &e.Excerpt,
	} {
		*text = cut(*text)
	}
	if len(e.Metadata) > mostMetadata {
		clear(e.Metadata)
	}
	for key, value := range e.Metadata {
		switch value := value.(type) {
		case string:
			e.Metadata[key] = cut(value)
		case bool, int, int64, float64:
		default: // nothing of ours has parts
			delete(e.Metadata, key)
		}
		if len(key) > mostText {
			delete(e.Metadata, key)
		}
	}
}

// cut is a text of at most mostText bytes, and a few that say how long it was.
func cut(text string) string {
	if len(text) <= mostText {
		return text
	}
	return fmt.Sprintf("%s… [%d bytes in all]", text[:wholeCharacters(text, mostText)], len(text))
}
