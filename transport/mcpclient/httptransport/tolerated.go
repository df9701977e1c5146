package httptransport

import "unicode/utf8"

// Deviations from JSON-RPC or MCP that this package tolerates. Each text continues a sentence after
// the name of the server.
const (
	LatinText      = "sends text in ISO-8859-1 in place of UTF-8"
	TextIDs        = "answers with ids of another type than those of the requests"
	NoVersion      = `leaves "jsonrpc": "2.0" out of its messages`
	ListedAnswer   = "answers one request with a list of messages"
	OtherStream    = "answers requests on a stream of other messages"
	SessionByError = "says with HTTP status 200 that a session has ended"
	OtherMediaType = "answers with JSON under another content type"
)

// deviates reports one of the deviations above to Options.Deviates.
func (o Options) deviates(how string) {
	if o.Deviates != nil {
		o.Deviates(how)
	}
}

// UTF8 converts a text from ISO-8859-1 to UTF-8 if it is not UTF-8. It returns a text unchanged if some
// of its letters are UTF-8: such a text is damaged UTF-8 and not ISO-8859-1.
func UTF8(text []byte) (converted []byte, is bool) {
	if utf8.Valid(text) {
		return text, false
	}
	more := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r != utf8.RuneError && size > 1:
			return text, false
		case r == utf8.RuneError:
			more++
		}
		at += size
	}
	converted = make([]byte, 0, len(text)+more)
	for _, b := range text {
		converted = utf8.AppendRune(converted, rune(b))
	}
	return converted, true
}

// utf8 returns a text of the server in UTF-8.
func (o Options) utf8(text []byte) []byte {
	converted, is := UTF8(text)
	if is {
		o.deviates(LatinText)
	}
	return converted
}

// parse parses a message and reports its deviations from JSON-RPC.
func (o Options) parse(data []byte) (message, error) {
	m, err := parseMessage(o.utf8(data))
	if err != nil {
		return m, err
	}
	if m.unversioned {
		o.deviates(NoVersion)
	}
	if m.listed {
		o.deviates(ListedAnswer)
	}
	if _, is := m.ID.Value().(string); is && m.Method == "" {
		o.deviates(TextIDs)
	}
	return m, nil
}
