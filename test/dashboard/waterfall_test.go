//go:build integration && linux

package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const waterfallConfig = `{
	"mcpServers": {"files": {"command": "toolscript", "args": ["mcp-demo", "HOME"]}},
	"approvals": {"rules": [{"match": ["files__read_file"], "action": "ask"}], "timeout": "1h"},
	"limits": {"toolCalls": 3000}
}`

// TestWaterfall: the page shows the calls of a run over time, with waits and failures; their details
// by click and by key; the last runs of a script side by side; and 2,000 calls.
func TestWaterfall(t *testing.T) {
	c := newChromium(t)
	d := newDesk(t, waterfallConfig)
	if err := d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.goTo(d.link())
	c.wait(live)
	run := func(file string, concurrency int, code string) <-chan map[string]any {
		return d.exec(map[string]any{"file": file, "code": code, "limits": map[string]any{"concurrency": concurrency, "toolCalls": 3000}})
	}
	const tree = `await Promise.all([1, 2, 3, 4, 5].map(() => tools.files.tree({})));`
	d.end(c, run("report.ts", 5, tree))
	ended := run("report.ts", 1, tree+`await tools.files.readFile({ path: "none" }).catch(() => null); await tools.files.tree({})`)
	c.wait(`#approvals article:has-text("files__read_file")`)
	row := `#runs tbody:has-text("report.ts")` // the newest run is the first row
	c.click(`#runs tbody:has(.state:text-is("running")) >> role=button[name=/^Calls of/]`)
	c.wait(row + ` >> .bars li:has-text("6 files__read_file") >> i.asked`) // while the call waits
	c.click(`#approvals article >> role=button[name="Deny files__read_file"]`)
	d.end(c, ended)

	c.wait(row + ` >> .bars li:nth-child(7)`)
	c.wait(row + ` >> .bars li:has-text("3 files__tree") >> i.slot`)
	c.wait(row + ` >> .bars li:has-text("6 files__read_file") >> .failed i.asked`)
	c.wait(row + ` >> text=7 calls, up to 1 at a time, 1 failed`)
	c.click(row + ` >> .bars li:has-text("6 files__read_file") >> button`)
	c.wait(row + ` >> .bars dl:has-text("approval_denied")`)
	c.wait(row + ` >> .bars dl:has-text("Waited for an approval")`)
	c.eval(`document.querySelector(".bars button").focus()`)
	c.do("press", "key", "ArrowDown")
	c.do("press", "key", "ArrowDown")
	c.do("press", "key", "Enter")
	c.wait(row + ` >> .bars li:has-text("3 files__tree") >> dl:has-text("Waited for its turn in the run")`)
	if n := c.eval(`document.querySelectorAll(".bars button[tabindex='0']").length`); n != "1" {
		t.Errorf("%s bars are stops of Tab, want 1", n)
	}
	c.wait(row + ` >> .beside li:nth-child(2) >> .overview i`)
	c.wait(`#servers svg.hour[aria-label^="files: 1"]`)
	if !testing.Short() {
		c.accessible("with a waterfall")
	}
	c.eval(`document.querySelector(".waterfall").scrollIntoView({ behavior: "instant", block: "center" })`)
	d.waterfall(c, "few")
	runFile(c, d)
	c.goTo(d.link())
	c.wait(live)
	if !testing.Short() {
		manyCalls(c, d, run)
	}
	if odd := c.list("odd"); len(odd) > 0 {
		t.Errorf("the page does what it must not:\n%s", strings.Join(odd, "\n"))
	}
}

// runFile opens the file that runs show --html writes for the newest run, in both colour schemes and
// in the width of a phone.
func runFile(c *chromium, d *desk) {
	t := d.t
	list, err := d.program.Command(t.Context(), "runs", "list", "--json", "--last", "1", "--gateway-url", d.URL).Output()
	var runs []struct{ RunID string }
	if err = errors.Join(err, json.Unmarshal(list, &runs)); err != nil || len(runs) != 1 {
		t.Fatal(err, string(list))
	}
	file := filepath.Join(d.program.Home, "run.html")
	if out, err := d.program.Command(t.Context(), "runs", "show", runs[0].RunID, "--html", file, "--gateway-url", d.URL).CombinedOutput(); err != nil {
		t.Fatalf("runs show: %v\n%s", err, out)
	}
	c.goTo("file://" + file)
	c.wait(`h1:text-is("` + runs[0].RunID + `")`)
	c.wait(`p:has-text("7 calls, up to 1 at a time, 1 failed")`)
	c.wait(`details:nth-of-type(3) .track .slot`)
	c.wait(`details.failed .track .approval`)
	c.click(`details.failed summary`)
	c.wait(`details.failed dl:has-text("approval_denied")`)
	if n := c.eval(`document.scripts.length + document.querySelectorAll("[src], [href]").length`); n != "0" {
		t.Errorf("the file has %s scripts and addresses", n)
	}
	c.accessible("the file of a run")
	backs := map[string]string{}
	for _, look := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}} {
		c.do("look", "scheme", look.scheme, "width", look.width)
		if wide := c.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
			t.Errorf("the file of a run, %s: it is %s px wider than the window", look.name, wide)
		}
		if narrow := c.eval(`document.querySelector(".track").clientWidth > 80`); narrow != "true" {
			t.Errorf("the file of a run, %s: no room for the bars", look.name)
		}
		backs[look.name] = c.eval(`getComputedStyle(document.body).backgroundColor`)
		if *pictures != "" {
			c.do("picture", "path", fmt.Sprintf("%s/run-file-%s.png", *pictures, look.name))
		}
	}
	if backs["light"] == backs["dark"] || backs["light"] != backs["phone"] {
		t.Errorf("the file of a run: backgrounds %v", backs)
	}
	c.do("look", "scheme", "light", "width", 1280)
}

// manyCalls checks how the page shows a run with 2,000 calls.
func manyCalls(c *chromium, d *desk, run func(file string, concurrency int, code string) <-chan map[string]any) {
	t := d.t
	d.end(c, run("many.ts", 8, `await Promise.all(Array.from({ length: 2000 }, (_, i) => i % 90 === 5 ? (tools.files.tree as any)({ none: 1 }).catch(() => null) : tools.files.tree({})))`))
	c.click(`#runs tbody:has-text("many.ts") >> role=button[name=/^Calls of/]`)
	c.wait(`#runs tbody:has-text("many.ts") >> .bars li:nth-child(2000)`)
	if n := c.eval(`document.querySelectorAll(".overview i").length >= 2000 && document.querySelectorAll(".bars .failed").length`); n != "22" && n != "23" {
		t.Errorf("%s of 2,000 calls are marked as failed", n)
	}
	for _, width := range []int{1280, 390} {
		c.do("look", "scheme", "light", "width", width)
		if wide := c.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
			t.Errorf("2,000 calls, %d px wide: the page is %s px wider than the window", width, wide)
		}
	}
	c.eval(`document.querySelector(".waterfall").scrollIntoView({ behavior: "instant", block: "center" })`)
	d.waterfall(c, "many")
}

// waterfall writes pictures of the visible part of the page, if a folder is given.
func (d *desk) waterfall(c *chromium, name string) {
	if *pictures == "" {
		return
	}
	for _, look := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1200}, {"dark", "dark", 1200}, {"phone", "dark", 390}} {
		c.do("look", "scheme", look.scheme, "width", look.width, "height", 620)
		c.eval(`document.querySelector(".waterfall").closest("tbody").scrollIntoView({ behavior: "instant", block: "start" }); scrollBy({ top: -60, behavior: "instant" })`) // below the links
		c.do("picture", "path", fmt.Sprintf("%s/waterfall-%s-%s.png", *pictures, name, look.name))
	}
	c.do("look", "scheme", "light", "width", 1280)
}
