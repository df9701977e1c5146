package runs

import (
	"encoding/json"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// maxSpelled bounds the answers whose spelling is kept, in bytes.
const maxSpelled = 1 << 20

// spelled reports whether an answer has a number that JavaScript would write in another way,
// such as 1.0 or a decimal of 20 digits.
func spelled(answer json.RawMessage) bool {
	return len(answer) <= maxSpelled && rawjson.HasOwnSpelling(answer)
}

// asAnswered returns the value of a script with the numbers as a server wrote them, if the value
// is an unchanged answer.
func (l lastAnswers) asAnswered(value json.RawMessage) json.RawMessage {
	for _, a := range l {
		if len(value) == 0 || !spelled(a.value) {
			continue
		}
		if respelled, same := rawjson.Respell(value, a.value); same {
			return respelled
		}
	}
	return value
}
