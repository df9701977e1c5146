package execution

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript/transport/rawjson"
)

// maxSpelled bounds the answers whose spelling is kept, in bytes.
const maxSpelled = 1 << 20

// spelled reports whether an answer has a number that JavaScript would write in another way,
// such as 1.0 or a decimal of 20 digits.
func spelled(answer json.RawMessage) bool {
	return len(answer) <= maxSpelled && rawjson.HasOwnSpelling(answer)
}

// asAnswered returns the answer of a tool as the server wrote it, if a script returns the
// answer as it is, and otherwise the value of the script.
func (l lastAnswers) asAnswered(value json.RawMessage) json.RawMessage {
	for _, a := range l {
		if len(value) == 0 || !spelled(a.value) || !rawjson.Same(value, a.value) {
			continue
		}
		if whole, valid := rawjson.Compact(bytes.Clone(rawjson.Whole(a.value))); valid { // the answer is also read elsewhere
			return whole
		}
	}
	return value
}
