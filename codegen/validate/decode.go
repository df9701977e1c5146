package validate

import (
	"fmt"

	"github.com/toolscript/toolscript/codegen/internal/scan"
)

// decode reads a JSON text into what encoding/json would make of it, numbers as
// they are written. It takes a third of the time, which is most of a check.
func decode(text []byte) (any, error) {
	// Reading recurses as deep as the text nests, and so does everything after it.
	if depth(text) > maxArguments {
		return nil, fmt.Errorf("it nests deeper than %d levels", maxArguments)
	}
	s, err := scan.New(text)
	if err != nil {
		return nil, err
	}
	return s.Value(), nil
}

// depth is how deep a JSON text nests, found without recursion.
func depth(text []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}
