//go:build integration && linux

package dashboard

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// beServer is the argument that makes the test binary the MCP server of the fixtures.
const beServer = "be-a-server"

// TestAskedPages: a page that a server wants a person to open is shown with its address and its host. A click
// opens it in another tab, without an opener, and the run goes on when it is finished.
func TestAskedPages(t *testing.T) {
	c := newChromium(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, fmt.Sprintf(`{"mcpServers": {"site": {"command": %q, "args": [%q, "connects"]}}}`, self, beServer))
	c.goTo(d.link())
	c.wait(live)
	script := map[string]any{"code": "return await tools.site.connect({})", "askPages": true}

	ended := d.exec(script)
	c.wait(`#attention li:has-text("Please connect your account")`)
	if text := c.text("#attention"); !strings.Contains(text, "server site:") || !strings.Contains(text, "/page-1") || !strings.Contains(text, "Open 127.0.0.1:") {
		t.Errorf("attention:\n%s", text)
	}
	if rel := c.eval(`document.querySelector("#attention a.button").rel`); rel != `"noopener noreferrer"` {
		t.Errorf("the link has rel %s", rel)
	}
	c.accessible("with a page to open")
	c.click(`#attention >> role=button[name=/^Do not open 127.0.0.1/]`)
	if end := d.end(c, ended); fmt.Sprint(end["value"]) != "map[action:decline]" {
		t.Errorf("the run ended with %v", end)
	}
	c.waitGone(`#attention li:has-text("Please connect your account")`)

	ended = d.exec(script)
	c.click(`#attention a.button:has-text("Open 127.0.0.1:")`)
	if end := d.end(c, ended); fmt.Sprint(end["value"]) != "map[action:accept]" {
		t.Errorf("the run ended with %v", end)
	}
	c.waitGone(`#attention li:has-text("Please connect your account")`)
	if odd := c.list("odd"); len(odd) > 0 {
		t.Errorf("the page does what it must not:\n%s", strings.Join(odd, "\n"))
	}
}
