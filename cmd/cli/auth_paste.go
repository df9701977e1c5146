package cli

import (
	"bufio"
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/toolscript/toolscript/transport/oauth"
)

// maxPaste bounds a pasted line.
const maxPaste = 64 << 10

// pasted reads standard input for the address that a browser on another machine
// ended at. What is not that address is said so, and the next line counts.
func (o *authOptions) pasted(ctx context.Context, attempt *oauth.Attempt) <-chan returned {
	found := make(chan returned, 1)
	go func() { // ends with the process, if nobody types anything
		lines := bufio.NewScanner(o.Stdin)
		lines.Buffer(nil, maxPaste)
		for lines.Scan() && ctx.Err() == nil {
			line := strings.TrimSpace(lines.Text())
			if line == "" {
				continue
			}
			query, err := pastedQuery(line, attempt.Redirect())
			if err == nil {
				err = attempt.Check(query)
			}
			var denied *oauth.DeniedError
			if err == nil || errors.As(err, &denied) {
				found <- returned{query, err}
				return
			}
			o.say("toolscript: that is not the address: %v; it begins with %s?", err, attempt.Redirect())
		}
	}()
	return found
}

// pastedQuery is the query of a pasted redirect.
func pastedQuery(line, redirect string) (url.Values, error) {
	u, err := url.Parse(line)
	if err != nil || !strings.HasPrefix(line, redirect) {
		return nil, errors.New("it is another one")
	}
	return url.ParseQuery(u.RawQuery)
}
