package codegen_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// withAccounts returns a catalog of a server with the accounts work and home, and of another server.
func withAccounts() toolscript.Catalog {
	schema := func(text string) json.RawMessage { return json.RawMessage(text) }
	return toolscript.NewCatalog(1, []string{"my-hub@work", "my-hub@home", "s"}, []toolscript.Tool{
		{Server: "my-hub@work", Name: "get", InputSchema: schema(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`), OutputSchema: schema(`{"type":"object","properties":{"v":{"type":"number"}},"required":["v"]}`)},
		{Server: "my-hub@home", Name: "get", InputSchema: schema(`{"type":"object","properties":{"other":{"type":"string"}}}`)},
		{Server: "my-hub@home", Name: "pa-ged", InputSchema: schema(`{"type":"object"}`), Pages: true},
		{Server: "s", Name: "get"},
	})
}

func accountModule(form codegen.Form) string {
	c := withAccounts()
	return codegen.Module(c.OneAccount(), naming.New(c), codegen.Options{Form: form}).Text
}

// TestAccountsInModules: a module has the tools of a server once for all accounts, with the types of
// the first account that has the tool.
func TestAccountsInModules(t *testing.T) {
	for form, as := range map[codegen.Form]string{
		codegen.Full: `accounts("my-hub", ["work", "home"], (server: string) => ({`, codegen.Compact: `$as(account: "work" | "home"): typeof tools.myHub;`,
		codegen.Declarations: `$as(account: "work" | "home"): MyHubTools;`,
	} {
		text := accountModule(form)
		if strings.Count(text, as) != 1 || strings.Count(text, "myHub: ") != 1 || !strings.Contains(text, "paGed") || strings.Contains(text, "other?:") {
			t.Errorf("form %d:\n%s", form, text)
		}
	}
	const use = `
const work: { v: number } = await tools.myHub.get({ n: 1 });
const home: { v: number } = await tools.myHub.$as("home").get({ n: 1 });
await tools.s.get();
`
	const wrong = `
await tools.myHub.$as("nobody").get({ n: 1 });
await tools.myHub.$as("home").get({ n: "1" });
await tools.myHub.$as("home").missing();
await tools.myHub.$as();
tools.s.$as("home");
`
	const tasks = `
const task: { v: number } = await tools.spawn.myHub.$as("home").get({ n: 1 }).done;
const keyed: { v: number } = await tools.$with({ idempotencyKey: "k" }).myHub.$as("home").get({ n: 1 });
for await (const page of tools.myHub.$as("work").paGed.pages({})) page;
await tools.myHub.$as("home").$as("work").paGed();
`
	mustTypecheck(t, map[string]string{
		"full.ts": accountModule(codegen.Full), "compact.d.ts": accountModule(codegen.Compact), "toolscript.d.ts": accountModule(codegen.Declarations),
		"use-full.ts": `import { tools } from "./full";` + use + tasks, "use-compact.ts": `import { tools } from "./compact";` + use, "use.ts": `import { tools } from "toolscript";` + use + tasks,
	})
	for module, form := range map[string]codegen.Form{"./full": codegen.Full, "toolscript": codegen.Declarations} {
		errs := typecheck(t, map[string]string{"full.ts": accountModule(codegen.Full), "toolscript.d.ts": accountModule(codegen.Declarations), "wrong.ts": `import { tools } from "` + module + `";` + wrong})
		if len(errs) != 5 {
			t.Errorf("form %d: %d errors\n%s", form, len(errs), strings.Join(errs, "\n"))
		}
	}
}

// TestAccountsOfTheFullModule: the methods of an account call the tools of that account.
func TestAccountsOfTheFullModule(t *testing.T) {
	node := findNode(t)
	dir := t.TempDir()
	javascript, _ := parse(t, "full.ts", accountModule(codegen.Full))
	write(t, filepath.Join(dir, "full.mjs"), javascript)
	write(t, filepath.Join(dir, "driver.mjs"), `
let seen = [];
globalThis.fetch = async (url, init) => (seen.push(url.split("/").pop() + (init.headers["Idempotency-Key"] ?? "")), new Response('{"content": []}', { status: 200 }));
const { tools } = await import("./full.mjs");
await tools.myHub.get({ n: 1 });
await tools.myHub.$as("home").get({ n: 1 });
await tools.myHub.$as("home").$as("work").get({ n: 1 });
await tools.spawn.myHub.$as("home").get({ n: 1 }).done;
await tools.$with({ idempotencyKey: "k" }).myHub.$as("home").get({ n: 1 });
await tools.myHub.$as("home").paGed({});
try { tools.myHub.$as("nobody"); } catch (e) { seen.push(e.message); }
seen.push(Object.keys(tools.myHub).sort().join(" "));
console.log(JSON.stringify(seen));
`)
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "driver.mjs"))
	cmd.Env = append(cmd.Environ(), "TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:1")
	out, err := cmd.CombinedOutput()
	var got []string
	if err != nil || json.Unmarshal(out, &got) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := []string{
		"my-hub%40work__get", "my-hub%40home__get", "my-hub%40work__get", "my-hub%40home__get", "my-hub%40home__getk", "my-hub%40home__pa-ged",
		`my-hub has no account "nobody"; its accounts are: work, home`, "get paGed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestAccountsThatAreNotConnected: the comment names the account.
func TestAccountsThatAreNotConnected(t *testing.T) {
	c := withAccounts()
	for form := range map[codegen.Form]bool{codegen.Full: true, codegen.Compact: true, codegen.Declarations: true} {
		g := codegen.Generator{Away: map[string]string{"my-hub@home": "needs_auth"}}
		text := g.Module(c.OneAccount(), naming.New(c), codegen.Options{Form: form}).Text
		if strings.Count(text, "Not connected, account home: needs_auth") != 1 {
			t.Errorf("form %d:\n%s", form, text)
		}
	}
}
