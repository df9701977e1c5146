//go:build integration && linux

// Package dashboard tests the operator page, and apps of servers, in a real Chromium, which Playwright drives.
package dashboard

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/test/kit"
)

// The folder for pictures of the documentation, and the home folder that they show.
var (
	pictures    = flag.String("pictures", "", "write pictures of the page to this `folder`")
	pictureHome = flag.String("home", "/home/ada", "the home `folder` of pictures, which is made and removed")
)

const config = `{
	"mcpServers": {
		"files": {"command": "toolscript", "args": ["mcp-demo", "HOME"]},
		"fragile": {"command": "sh", "args": ["-c", "test ! -e HOME/broken && exec toolscript mcp-demo HOME/fragile"]}
	},
	"approvals": {"rules": [{"match": ["files__read_file", "hostile"], "action": "ask"}], "timeout": "1h"}
}`

const (
	endless  = "await new Promise((done) => setTimeout(done, 500_000))"
	readFile = `return (await tools.files.readFile({ path: "a.txt" })).lines`
)

// live is the selector of the page while it is connected.
const live = "html[data-link=live] #logs"

// TestPage runs a day of an operator: each part begins with the state that the previous part left. The
// test has no short form and takes about a minute, because a browser waits for what the page shows.
func TestPage(t *testing.T) {
	c := newChromium(t)
	d := newDesk(t, config)
	if err := os.Mkdir(filepath.Join(d.program.Home, "fragile"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.program.Home, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		name string
		test func(*chromium, *desk)
	}{
		{"connects", connects},
		{"a killed server goes into backoff and comes back", killed},
		{"aborts a run", aborts},
		{"answers approvals", answers},
		{"shows arguments only if they are wanted", arguments},
		{"survives the restart of the gateway", restarted},
	} {
		if testing.Short() && part.name == "survives the restart of the gateway" {
			break
		}
		if !t.Run(part.name, func(t *testing.T) { c.t, d.t = t, t; part.test(c, d) }) {
			break // the other parts need this one to finish
		}
	}
	c.t, d.t = t, t
	if odd := c.list("odd"); len(odd) > 0 {
		t.Errorf("the page does what it must not:\n%s", strings.Join(odd, "\n"))
	}
}

func connects(c *chromium, d *desk) {
	t := d.t
	link := d.link()
	if status := string(c.do("from", "url", link, "origin", "http://other.example")); status != "403" {
		t.Errorf("the link in a page of another site: %s, want 403", status)
	}
	if status := c.goTo(link); status != "200" {
		t.Fatalf("the link: %s", status)
	}
	c.wait(live)
	c.wait(`#servers tbody:has-text("fragile") >> text=ready`)
	if head := c.text("header"); !strings.Contains(head, "2 of 2 ready") || !strings.Contains(head, d.config) {
		t.Errorf("the header says\n%s", head)
	}
	if text := c.text("#attention"); !strings.Contains(text, "Nothing. Everything that is configured works.") {
		t.Errorf("attention:\n%s", text)
	}
	if cookie := string(c.do("cookies")); strings.Count(cookie, `"httpOnly":true`) != 1 || strings.Count(cookie, `"sameSite":"Strict"`) != 1 || c.eval("document.cookie") != `""` {
		t.Errorf("cookies: %s", cookie)
	}
	for _, row := range []string{"supervisor", "approvals", "server/files"} {
		c.wait(fmt.Sprintf(`#actors tbody:has-text(%q)`, row))
	}
	c.wait(`#caches dt:has-text("Modules")`)
	c.accessible("after the start")
	t.Logf("first paint after %s ms, of %s bytes in the cache of the browser or over the connection",
		c.eval(`Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime)`),
		c.eval(`[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, e) => sum + e.encodedBodySize, 0)`))
	if status := visit(t, link); status != http.StatusForbidden {
		t.Errorf("the link again: %d, want 403", status)
	}
}

func killed(c *chromium, d *desk) {
	t := d.t
	broken := filepath.Join(d.program.Home, "broken")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.kill("mcp-demo " + filepath.Join(d.program.Home, "fragile"))
	row := `#servers tbody:has-text("fragile")`
	c.wait(row + ` >> .state:text-is("backoff")`)
	c.wait(row + ` >> text=/try \d+ (in|now)/`)
	problem := `#attention li:has-text("server fragile")`
	c.wait(problem)
	if text := c.text(problem); !strings.Contains(text, "toolscript servers restart fragile") {
		t.Errorf("the problem says\n%s", text)
	}
	c.wait(`header >> text=1 of 2 ready`)
	c.accessible("with a server in backoff")
	d.picture(c, "attention")
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	c.click(problem + ` >> role=button[name="Restart fragile"]`)
	c.wait(row + ` >> .state:text-is("ready")`)
	c.waitGone(problem)
	c.wait(`header >> text=2 of 2 ready`)
	c.wait(`[role=status]:has-text("fragile was restarted")`)
	c.click(row + ` >> role=button[name="Logs of fragile"]`)
	c.wait(`#logs li:has-text("server=fragile")`)
	c.fill(`#logs input`, "no line has this text")
	c.wait(`#logs >> text=No line matches.`)
	c.fill(`#logs input`, "")
}

func aborts(c *chromium, d *desk) {
	t := d.t
	ended := d.exec(map[string]any{"code": endless, "limits": map[string]any{"timeoutMs": 600_000}})
	c.wait(`#runs .state:text-is("running")`)
	run := d.running()
	if len(run) != 1 {
		t.Fatalf("%d runs are running", len(run))
	}
	c.wait(fmt.Sprintf(`#runs meter[aria-label="time of %s"]`, run[0]))
	c.click(fmt.Sprintf(`role=button[name="Abort %s"]`, run[0]))
	if end := d.end(c, ended); end["kind"] != "cancelled" {
		t.Errorf("the run ended with %v", end)
	}
	c.wait(fmt.Sprintf(`#runs tbody:has-text(%q) >> .state:text-is("cancelled")`, run[0]))
	c.waitGone(fmt.Sprintf(`role=button[name="Abort %s"]`, run[0]))
}

var code = regexp.MustCompile(`code: ([A-Z2-7]{6}) `)

// codeOf waits for the n-th code at the terminal of the gateway.
func (d *desk) codeOf(n int) (found string) {
	d.t.Helper()
	kit.Eventually(d.t, "the gateway shows a code", func() bool {
		all := code.FindAllStringSubmatch(d.screen.Raw(), -1)
		if len(all) >= n {
			found = all[n-1][1]
		}
		return found != ""
	})
	return found
}

// end waits until a run has ended and returns its last event.
func (d *desk) end(c *chromium, ended <-chan map[string]any) map[string]any {
	d.t.Helper()
	select {
	case end := <-ended:
		return end
	case <-time.After(2 * time.Minute):
		d.t.Fatalf("the run does not end; the page says\n%s", c.text("body"))
		return nil
	}
}

// answers answers requests for approval, the first one with the keyboard.
func answers(c *chromium, d *desk) {
	t := d.t
	if agent := confirm.AgentAbove(os.Getpid()); agent != "" {
		t.Skipf("the gateway shows no code: this test runs below an agent (%s)", agent)
	}
	script := map[string]any{"code": readFile}
	ended := d.exec(script)
	c.wait(`#approvals article:has-text("files__read_file")`)
	c.wait(`#attention li:has-text("call of files__read_file")`)
	if title := c.eval("document.title"); title != `"(1) toolscript"` {
		t.Errorf("the title is %s", title)
	}
	c.accessible("with a request for approval")
	d.picture(c, "approval")
	c.click(`#approvals article >> role=button[name="Allow files__read_file"]`)
	if field := c.eval(`document.activeElement.className`); field != `"code"` {
		t.Errorf("without a code the focus is at %s", field)
	}
	c.fill(`#approvals input.code`, "AAAAAA")
	c.click(`#approvals article >> role=button[name="Allow files__read_file"]`)
	c.wait(`[role=status]:has-text("the code is wrong")`)
	c.fill(`#approvals input.code`, "")
	c.eval(`document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute("tabindex")`)
	c.do("tabTo", "selector", "#attention a")
	c.do("press", "key", "Enter")
	c.do("tabTo", "selector", "#approvals input.code")
	c.do("type", "text", strings.ToLower(d.codeOf(1)))
	c.do("press", "key", "Enter")
	if end := d.end(c, ended); end["value"] != 2.0 {
		t.Errorf("the allowed run ended with %v", end)
	}
	c.waitGone(`#approvals article`)

	ended = d.exec(script)
	c.wait(`#approvals article`)
	if n := c.eval(`document.querySelectorAll("#approvals input.code").length`); n != "0" {
		t.Errorf("the second request has %s fields for a code, want 0", n)
	}
	c.click(`#approvals article >> role=button[name="Show code of files__read_file"]`)
	c.wait(`#approvals article strong.code:text-is("` + d.codeOf(2) + `")`)
	c.click(`#approvals article >> role=button[name="Allow files__read_file"]`)
	if end := d.end(c, ended); end["value"] != 2.0 {
		t.Errorf("the second run ended with %v", end)
	}

	ended = d.exec(script)
	c.click(`#approvals article >> role=button[name="Deny files__read_file"]`)
	if end := d.end(c, ended); end["ok"] != false || !strings.Contains(fmt.Sprint(end), "ApprovalDenied") {
		t.Errorf("the denied run ended with %v", end)
	}

	// The middle of long arguments is shown on request.
	ended = d.exec(map[string]any{"code": `await tools.files.readFile({ path: "begin" + "x".repeat(5000) + "middle" + "x".repeat(5000) + "end" })`})
	c.wait(`#approvals article pre:has-text("end")`)
	if text := c.text("#approvals article pre"); !strings.Contains(text, "begin") || strings.Contains(text, "middle") {
		t.Errorf("long arguments are shown as %.300s", text)
	}
	c.click(`#approvals article >> role=button[name="Show all arguments of files__read_file"]`)
	c.wait(`#approvals article pre:has-text("middle")`)
	c.accessible("with all arguments")
	c.click(`#approvals article >> role=button[name="Deny files__read_file"]`)
	d.end(c, ended)

	// Another page must be given a code of its own.
	c.goTo(d.link())
	c.wait(live)
	ended = d.exec(script)
	c.wait(`#approvals input.code`)
	c.click(`#approvals article >> role=button[name="Deny files__read_file"]`)
	d.end(c, ended)
}

func arguments(c *chromium, d *desk) {
	t := d.t
	search := map[string]any{"code": `await tools.files.searchText({ pattern: "two" }); return 1`}
	if end := d.end(c, d.exec(search)); end["value"] != 1.0 {
		t.Fatalf("the run ended with %v", end)
	}
	row := `#calls tbody:has-text("files__search_text")`
	c.wait(row + ` >> .state:text-is("ok")`)
	if n := c.eval(`document.querySelectorAll("#calls pre").length`); n != "0" {
		t.Errorf("%s calls show arguments without being asked", n)
	}
	c.click(`#calls input[type=checkbox]`)
	c.wait(`#calls >> text=Calls have arguments from now on.`)
	if end := d.end(c, d.exec(search)); end["value"] != 1.0 {
		t.Fatalf("the run ended with %v", end)
	}
	c.wait(row + ` >> pre:has-text('{"pattern":"two"}')`)
	c.click(`#calls input[type=checkbox]`)
	c.waitGone(`#calls pre`)
	c.fill(`#calls input[type=search]`, "no call has this text")
	c.wait(`#calls >> text=No call matches.`)
	c.fill(`#calls input[type=search]`, "")
}

func restarted(c *chromium, d *desk) {
	port := d.base()[strings.LastIndexByte(d.base(), ':')+1:]
	d.stop()
	c.wait(`[role=alert]:has-text("No connection")`)
	c.accessible("without a gateway")
	d.start(port)
	c.wait(`[role=alert]:has-text("This page has ended")`)
	c.wait(`[role=alert] code:text-is("toolscript dashboard")`)
	c.accessible("after the restart of the gateway")
	old := c.eval("location.href")
	c.goTo(strings.Trim(old, `"`))
	c.wait(`h1:text-is("This page has ended")`)
	c.wait(`pre:text-is("toolscript dashboard")`)
	c.accessible("the old page")
	c.goTo(d.link())
	c.wait(live)
	c.wait(`header >> text=2 of 2 ready`)
}

// TestHostileTexts: texts of a server, a script or a configuration have no effect except that they are shown.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	c := newChromium(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(attack)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, fmt.Sprintf(`{
		"mcpServers": {
			"hostile": {"command": %q, "args": [%q]},
			"broken": {"command": %q, "args": [%q, "exit"]}
		},
		"approvals": {"rules": [{"match": ["hostile__attack"], "action": "ask"}], "timeout": "1h"}
	}`, self, beHostile, self, beHostile))
	c.goTo(d.link())
	c.wait(live)
	c.wait(`#servers tbody:has-text("hostile") >> .state:text-is("ready")`)
	c.wait(`#servers tbody:has-text("broken") >> summary`)
	c.click(`#calls input[type=checkbox]`)
	c.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
	quoted := string(text)
	for _, script := range []string{
		`throw new Error(` + quoted + `)`,
		`console.log(` + quoted + `); return ` + quoted,
		`return await tools.hostile[Object.keys(tools.hostile).find((n) => n !== "attack")]({ x: ` + quoted + ` })`,
	} {
		d.end(c, d.exec(map[string]any{"code": script, "file": attack, "check": "off"}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := d.Exec(ctx, map[string]any{"code": `await tools.hostile.attack({ ` + quoted + `: ` + quoted + ` })`, "check": "off", "file": attack})
		waiting <- err
	}()
	c.wait(`#approvals article:has-text("hostile__attack")`)
	c.wait(`#runs tbody:has-text("<script>window.hacked=1</script>")`)
	c.wait(`#calls tbody:has-text("hostile")`)
	c.click(`#runs >> role=button[name=/^Calls of/]`)
	c.click(`#runs .bars button`)
	c.wait(`#runs h3:has-text("The last runs of")`)
	c.fill(`#logs input`, "hostile")
	c.wait(`#logs li`)
	for _, part := range []string{"servers", "runs", "approvals"} {
		shown := c.text("#" + part)
		named := part != "runs" || strings.Contains(shown, "⟨202E⟩") // the gateway removes the character from other texts
		if !strings.Contains(shown, "onerror") || !named || strings.ContainsAny(shown, "\u202e\u200b\x1b\U000e0041") {
			t.Errorf("%s shows\n%q", part, shown)
		}
	}
	if n := c.eval(`document.querySelectorAll("#page img:not(.icon), #page svg:not(.hour), #page script, #page iframe, #page a[href^='javascript'], #page textarea").length`); n != "0" {
		t.Errorf("texts became %s elements", n)
	}
	if shown := c.eval(`[...document.querySelectorAll("#servers img")].map((img) => img.naturalWidth).join()`); shown != `"1"` {
		t.Errorf("icons of widths %s, want one of 1", shown)
	}
	if hacked := c.eval(`window.hacked === undefined`); hacked != "true" {
		t.Error("a text was run")
	}
	c.accessible("with hostile texts")
	if odd := c.list("odd"); len(odd) > 0 {
		t.Errorf("the page does what it must not:\n%s", strings.Join(odd, "\n"))
	}
	cancel()
	<-waiting
}

// picture writes a picture of the page for the documentation, if a folder is given.
func (d *desk) picture(c *chromium, name string) {
	if *pictures == "" {
		return
	}
	for _, look := range []struct {
		name, scheme  string
		width, height int
	}{{"light", "light", 1200, 800}, {"dark", "dark", 1200, 800}, {"phone", "light", 390, 800}} {
		c.do("look", "scheme", look.scheme, "width", look.width, "height", look.height)
		c.eval(`scrollTo({ top: 0, behavior: "instant" })`)
		c.do("picture", "path", filepath.Join(*pictures, "dashboard-"+name+"-"+look.name+".png"))
	}
	c.do("look", "scheme", "light", "width", 1280)
}

// visit makes a request without a cookie and returns the status.
func visit(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // the body is not needed
	return resp.StatusCode
}
