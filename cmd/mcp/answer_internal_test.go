package mcp

import "testing"

// TestAnswersThatCannotBeRead: an invalid answer ends its question at once.
func TestAnswersThatCannotBeRead(t *testing.T) {
	const failed = `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the answer of the client cannot be read"}}`
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"n":NaN}}}`: failed,
		`note: {"jsonrpc":"2.0","id":7,"result":{}}`:                                failed,
		`{"jsonrpc":"2.0","id":7,"error":"boom"}`:                                   failed,
		`{"jsonrpc":"2.0","id":"7","error":{"code":"E","message":"m"}}`:             failed,
		`{"jsonrpc":"2.0","id":7,"result":"yes"}`:                                   failed,
		`{"jsonrpc":"2.0","id":7.0,"result":{"action":"decline"}}`:                  `{"jsonrpc":"2.0","id":7,"result":{"action":"decline"}}`,
		`{"jsonrpc":"2.0","id":"7","error":{"code":-1,"message":"m"}}`:              `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}`:                     "",
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                                  "",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                    "",
		`{"jsonrpc":"2.0","id":7,"method":"x","params":NaN,"result":1}`:             "",
		`{"jsonrpc":"2.0","id":"x","result":{}}`:                                    "",
		`nonsense`:                                                                  "",
	} {
		if want == "" {
			want = text
		}
		if got := string(readable([]byte(text))); got != want {
			t.Errorf("%s\nis read as %s\nwant %s", text, got, want)
		}
	}
}
