package oauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// lenient returns a client for token endpoints. It accepts answers that the library refuses: JSON with
// the content type of a text or without a content type, and lifetimes with a fraction.
func lenient(base *http.Client) *http.Client {
	client := *base
	client.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		answer, err := base.Transport.RoundTrip(req)
		if err != nil {
			return answer, err
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument))
		_ = answer.Body.Close() // an error after reading does not matter
		if err != nil {
			return nil, err
		}
		if mended, ok := mend(text); ok {
			text = mended
			answer.Header.Set("Content-Type", "application/json")
		} else if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			text = nil // the text is a page, such as the login page of a proxy, and the library would quote it
		}
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return answer, nil
	})
	return &client
}

// mend rounds the lifetime in an answer down to whole seconds, and removes an invalid lifetime. ok is false if the
// text is not a JSON object.
func mend(text []byte) (mended []byte, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return nil, false
	}
	lifetime, given := members["expires_in"]
	if !given {
		return text, true
	}
	n, err := strconv.ParseFloat(strings.Trim(string(lifetime), `" `), 64)
	if _, whole := strconv.ParseInt(strings.Trim(string(lifetime), `" `), 10, 64); whole == nil {
		return text, true
	}
	delete(members, "expires_in") // treat an invalid lifetime as unknown
	if err == nil && n >= 1 && n < 1<<31 {
		members["expires_in"] = json.RawMessage(strconv.FormatInt(int64(n), 10))
	}
	mended, err = json.Marshal(members)
	return mended, err == nil
}
