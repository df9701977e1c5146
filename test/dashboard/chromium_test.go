//go:build integration && linux

package dashboard

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	driver = "node_modules/playwright-core/package.json"
	node   = "../node_modules/node/bin/node"
)

// chromium is a tab of a real Chromium browser.
type chromium struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner

	checks int // calls of accessible
}

// newChromium starts the Chromium of the variable CHROMIUM, or the one in PATH.
func newChromium(t *testing.T) *chromium {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	if path == "" {
		path, _ = exec.LookPath("chromium") // "" if there is none
	}
	if path == "" {
		t.Skip("the tests of the operator page did not run: there is no chromium in PATH, and CHROMIUM names none")
	}
	for _, file := range []string{driver, node} {
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%v\nthe test needs it: npm ci --prefix test/dashboard; npm ci --prefix test", err)
		}
	}
	cmd := exec.Command(node, "driver.mjs")
	cmd.Env = append(os.Environ(), "CHROMIUM="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &chromium{t: t, in: in, out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 16<<20)
	t.Cleanup(func() {
		_ = in.Close() // the driver ends with its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("the driver: %v", err)
		}
	})
	t.Logf("Chromium %s", c.read())
	return c
}

func (c *chromium) read() json.RawMessage {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the driver has ended: %v", c.out.Err())
	}
	var answer struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
		c.t.Fatalf("%v in %q", err, c.out.Text())
	}
	if answer.Error != "" {
		c.t.Fatal(answer.Error)
	}
	return answer.Value
}

// do makes the driver execute one command. more are names and values of its arguments.
func (c *chromium) do(what string, more ...any) json.RawMessage {
	c.t.Helper()
	request := map[string]any{"do": what}
	for i := 0; i < len(more); i += 2 {
		request[more[i].(string)] = more[i+1]
	}
	line, err := json.Marshal(request)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
	return c.read()
}

func (c *chromium) goTo(url string) string { c.t.Helper(); return string(c.do("goto", "url", url)) }
func (c *chromium) wait(selector string)   { c.t.Helper(); c.do("wait", "selector", selector) }
func (c *chromium) waitGone(selector string) {
	c.t.Helper()
	c.do("wait", "selector", selector, "state", "detached")
}
func (c *chromium) click(selector string)   { c.t.Helper(); c.do("click", "selector", selector) }
func (c *chromium) eval(code string) string { c.t.Helper(); return string(c.do("eval", "code", code)) }
func (c *chromium) fill(selector, text string) {
	c.t.Helper()
	c.do("fill", "selector", selector, "text", text)
}

// text returns the text of an element.
func (c *chromium) text(selector string) (text string) {
	c.t.Helper()
	if err := json.Unmarshal(c.do("text", "selector", selector), &text); err != nil {
		c.t.Fatal(err)
	}
	return text
}

// list returns the texts that a function of the driver returns.
func (c *chromium) list(what string) (found []string) {
	c.t.Helper()
	if err := json.Unmarshal(c.do(what), &found); err != nil {
		c.t.Fatal(err)
	}
	return found
}

// accessible checks the page with axe-core in light and dark colours, and in the width of a phone.
func (c *chromium) accessible(where string) {
	c.t.Helper()
	looks := []struct {
		scheme string
		width  int
	}{{"light", 1280}, {"dark", 390}, {"dark", 1280}, {"light", 390}}
	if testing.Short() { // each call checks one of the looks
		looks = looks[c.checks%len(looks):][:1]
		c.checks++
	}
	for _, look := range looks {
		c.do("look", "scheme", look.scheme, "width", look.width)
		if found := c.list("axe"); len(found) > 0 {
			c.t.Errorf("%s, %s, %d px wide: axe finds\n%s", where, look.scheme, look.width, strings.Join(found, "\n"))
		}
		if wide := c.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
			c.t.Errorf("%s, %d px wide: the page is %s px wider than the window", where, look.width, wide)
		}
	}
	c.do("look", "scheme", "light", "width", 1280)
}
