package graphql

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

const (
	mostErrors  = 20       // errors of an answer that are shown
	mostMessage = 2000     // bytes of one message
	mostPath    = 1 << 10  // bytes of the path of an error
	mostDetails = 64 << 10 // bytes of the errors that are passed on completely
	mostShown   = 32 << 10 // bytes of an answer that are searched for secrets before they are shown
)

// failed holds the member "errors" of an answer.
type failed struct {
	messages  []string
	throttled bool          // the endpoint asks to try again later
	wait      time.Duration // time to wait; 0 if it is not known
}

// failedOf reads the member "errors" of an answer, which may be absent. It returns false if the member
// is not a list. It decodes only the first mostErrors errors, because an answer can have millions.
func failedOf(failures json.RawMessage) (f failed, ok bool) {
	if failures == nil || string(failures) == "null" {
		return f, true
	}
	count, list := 0, false
	err := rawjson.Read(failures, func(r *rawjson.Reader) {
		list = r.Array(func() {
			failure := r.Value()
			if count++; count <= mostErrors && failure != nil {
				f.messages = append(f.messages, messageOf(failure))
				f.throttle(failure)
			}
		})
	})
	if count > mostErrors {
		f.messages = append(f.messages, fmt.Sprintf("and %d more errors", count-mostErrors))
	}
	return f, list && err == nil
}

// throttle records whether an error says that there were too many requests. It knows the
// formats of Shopify, GitHub, Apollo and others.
func (f *failed) throttle(failure json.RawMessage) {
	var e struct {
		Type       any
		Extensions struct {
			Code, Type, Status, StatusCode any
			HTTP                           struct{ Status any }
			Cost                           struct {
				RequestedQueryCost float64
				ThrottleStatus     struct{ CurrentlyAvailable, RestoreRate float64 }
			}
		}
	}
	if len(failure) > mostDetails {
		return
	}
	_ = json.Unmarshal(failure, &e) // a member of an unexpected type stays empty
	for _, code := range []any{e.Type, e.Extensions.Code, e.Extensions.Type, e.Extensions.Status, e.Extensions.StatusCode, e.Extensions.HTTP.Status} {
		switch strings.ToUpper(fmt.Sprint(code)) {
		case "THROTTLED", "RATE_LIMITED", "RATE_LIMIT_EXCEEDED", "RATELIMITED", "TOO_MANY_REQUESTS", "429":
			f.throttled = true
		}
	}
	if c := e.Extensions.Cost; c.ThrottleStatus.RestoreRate > 0 {
		missing := (c.RequestedQueryCost - c.ThrottleStatus.CurrentlyAvailable) / c.ThrottleStatus.RestoreRate
		f.wait = max(f.wait, time.Duration(min(max(missing, 0), 3600)*float64(time.Second)))
	}
}

// nothing reports whether no field of data has a value.
func nothing(data json.RawMessage) bool {
	has := false
	return data == nil || rawjson.Object(data, func(_ string, value json.RawMessage) { has = has || string(value) != "null" }) && !has
}

// details returns the additional data of an error: the errors with their extensions, and the data
// of the fields without errors.
func (f *failed) details(data, failures json.RawMessage) map[string]any {
	out := map[string]any{}
	if len(failures) <= mostDetails {
		out["errors"] = failures
	}
	if data != nil {
		out["data"] = data
	}
	return out
}

// messageOf returns the message of one error, with its path.
func messageOf(failure json.RawMessage) string {
	var text string
	var place []any
	rawjson.Object(failure, func(name string, value json.RawMessage) {
		switch {
		case name == "message" && value[0] == '"':
			text = string(rawjson.Unquote(beginning(value)))
		case name == "path" && len(value) <= mostPath:
			_ = json.Unmarshal(value, &place) // after an error, the message has no path
		}
	})
	text = texts.Short(text, mostMessage)
	if len(place) > 0 {
		text += fmt.Sprintf(" (at %s)", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(place)), "."), "[]"))
	}
	return text
}

// beginning returns a string literal, or the first part of a literal that is too long to decode.
func beginning(literal []byte) []byte {
	const most = 4 * mostMessage
	if len(literal) <= most {
		return literal
	}
	end := 1
	for end < most {
		switch {
		case literal[end] != '\\':
			end++
		case literal[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	return append(literal[:end:end], '"')
}
