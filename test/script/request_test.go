package script_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/toolscript/toolscript/test/fixture/pace"
)

// headers is a flag that collects -H 'Name: value'.
type headers http.Header

func (h headers) String() string { return "" }

func (h headers) Set(line string) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return errors.New("want 'Name: value'")
	}
	http.Header(h).Set(name, strings.TrimSpace(value))
	return nil
}

// request is the program "request [-H 'Name: value']… [-d BODY] [-within TIME] [-again] METHOD URL". It
// sends one HTTP request and prints the status, the headers that tests check, and the body. With
// -again it sends a second request with the ETag of the first answer.
func request(args []string) int {
	flags := flag.NewFlagSet("request", flag.ContinueOnError)
	header := headers{}
	flags.Var(header, "H", "header")
	body := flags.String("d", "", "body")
	again := flags.Bool("again", false, "ask again with the ETag of the answer")
	within := flags.Duration("within", 20*time.Second, "bound on the whole request, on an idle machine")
	if err := flags.Parse(args); err != nil || flags.NArg() != 2 {
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), pace.Limit(*within))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, flags.Arg(0), flags.Arg(1), strings.NewReader(*body))
	if err != nil {
		fmt.Fprintln(os.Stderr, "request:", err)
		return 2
	}
	req.Header = http.Header(header)
	req.Host = req.Header.Get("Host") // net/http ignores it in the header
	if *body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	tag, err := exchange(req)
	if err == nil && *again {
		req.Header.Set("If-None-Match", tag)
		_, err = exchange(req)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "request:", err)
		return 1
	}
	return 0
}

// exchange sends the request, prints the answer and returns its ETag.
func exchange(req *http.Request) (tag string, err error) {
	res, err := http.DefaultTransport.RoundTrip(req) // redirects are printed, not followed
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }() // only read, so an error is harmless
	fmt.Println(res.StatusCode)
	for _, name := range []string{"Access-Control-Allow-Origin", "Content-Type", "Etag", "Retry-After"} {
		if value := res.Header.Get(name); value != "" {
			fmt.Printf("%s: %s\n", name, value)
		}
	}
	fmt.Println()
	_, err = io.Copy(os.Stdout, res.Body)
	return res.Header.Get("Etag"), err
}
