package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// encode appends the line of an entry. It encodes calls itself, because encoding/json takes
// three times as long.
func (l *Log) encode(to []byte, e *entry, counted *counter) []byte {
	if e.line != nil {
		e.hash(counted)
		return append(to, marshal(e.line)...)
	}
	c := &e.call
	to = append(to, `{"type":"call","time":"`...)
	to = c.at.AppendFormat(to, time.RFC3339Nano)
	to = append(to, `","pid":`...)
	to = strconv.AppendInt(to, int64(l.pid), 10)
	session := c.session
	if session == "" {
		session = l.options.Session
	}
	for _, m := range [...]struct{ name, text string }{
		{"session", session}, {"client", c.client}, {"run", c.run}, {"call", c.id}, {"request", c.request}, {"tool", c.tool},
	} {
		to = member(to, m.name, m.text)
	}
	if c.argsData != nil {
		to = data(to, "args", c.argsData)
	} else {
		to = content(to, "args", c.arguments(), false, counted)
	}
	if c.resultData != nil {
		to = data(to, "result", c.resultData)
	} else if c.result != nil {
		to = content(to, "result", c.result, true, counted)
	}
	to = member(to, "approval", c.approval)
	to = member(to, "key", c.key)
	to = member(to, "outcome", c.outcome)
	to = member(to, "sent", c.sent)
	to = append(to, `,"ms":`...)
	to = strconv.AppendFloat(to, milliseconds(c.took), 'f', -1, 64)
	for _, m := range [...]struct {
		name string
		ms   float64
	}{{"queuedMs", c.waits.QueuedMs}, {"approvalMs", c.waits.ApprovalMs}, {"slotMs", c.waits.SlotMs}} {
		if m.ms > 0 {
			to = append(append(append(to, `,"`...), m.name...), `":`...)
			to = strconv.AppendFloat(to, m.ms, 'f', -1, 64)
		}
	}
	to = member(to, "error", c.failure)
	to = member(to, "host", c.host)
	return append(to, '}')
}

// member appends a text, unless it is empty.
func member(to []byte, name, text string) []byte {
	if text == "" {
		return to
	}
	to = append(to, ',', '"')
	to = append(to, name...)
	to = append(to, '"', ':')
	for i := range len(text) {
		if b := text[i]; b < ' ' || b > '~' || b == '"' || b == '\\' {
			return append(to, marshal(text)...)
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"')
}

// data appends the hash, the size and the tokens of a content.
func data(to []byte, name string, known *Data) []byte {
	return append(append(append(append(to, `,"`...), name...), `":`...), marshal(known)...)
}

// content appends the hash, the size and the tokens of a content, which may be an answer.
func content(to []byte, name string, whole []byte, answer bool, counted *counter) []byte {
	to = append(to, ',', '"')
	to = append(to, name...)
	to = append(to, `":{"sha256":"`...)
	sum := sha256.Sum256(whole)
	to = hex.AppendEncode(to, sum[:])
	to = append(to, `","bytes":`...)
	to = strconv.AppendInt(to, int64(len(whole)), 10)
	if n := counted.ofCall(whole, answer).Tokens; n != nil {
		to = append(to, `,"tokens":`...)
		to = strconv.AppendInt(to, int64(*n), 10)
	}
	return append(to, '}')
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a text, or a struct of texts and numbers, always marshals
	}
	return text
}
