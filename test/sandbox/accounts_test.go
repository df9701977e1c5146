package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestAccounts: on both engines, a script reaches each account of a server, with the same types and
// names, and an allow list with an account lets it reach only that one.
func TestAccounts(t *testing.T) {
	accounts := []string{"work", "home"}
	g := newGatewayOf(t, actors.Approvals{}, map[string]upstream.Config{
		"hub@work": {Type: upstream.Stdio, Accounts: accounts}, "hub@home": {Type: upstream.Stdio, Accounts: accounts},
	})
	g.Await(t.Context(), nil)
	const all = `
		const hub = tools.hub;
		await hub.getThing({});
		await hub.$as("home").getThing({});
		await hub.$as("home").$as("work").echo({});
		await Promise.all([hub.$as("home").echo({}), hub.$as("home").echo({})]);
		await tools.spawn.hub.$as("home").echo({}).done;
		await tools.$with({ idempotencyKey: "k" }).hub.$as("home").echo({});
		return [Object.keys(tools), Object.keys(hub).length, Object.keys(hub.$as("home")).length, "$as" in hub, "$as" in tools.demo, hub.$as("home").missing === undefined];`
	const wrong = `
		const seen: string[] = [];
		for (const use of [() => tools.hub.$as("nobody"), () => tools.hub.$as(1), () => (tools.demo as any).$as("home"), () => tools.hub.$as("__proto__"), () => tools.hub.$as("")])
			try { (use as any)(); seen.push("no error"); } catch (e) { seen.push((e as Error).message); }
		return seen;`
	const one = `
		const seen: string[] = [];
		for (const use of [() => tools.hub.echo({}), () => tools.hub.$as("home").echo({})])
			try { await use(); seen.push("ok"); } catch (e) { seen.push((e as any).code); }
		return [seen, Object.keys(tools)];`
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			run := func(code string, check string, allow ...string) *result {
				return g.exec(t, toolscript.ExecRequest{Code: code, Rules: toolscript.Rules{Engine: engine, Check: check, Allow: allow}}, "")
			}
			r := run(strings.Replace(all, `, hub.$as("home").missing === undefined`, "", 1), toolscript.CheckError)
			if got, want := string(r.end.Value), `[["demo","hub"],5,5,true,false]`; got != want {
				t.Errorf("value %s, want %s; %+v %v", got, want, r.end.Error, r.diagnostics)
			}
			slices.Sort(r.calls)
			want := []string{"hub@home__echo ok", "hub@home__echo ok", "hub@home__echo ok", "hub@home__echo ok", "hub@home__get-thing ok", "hub@work__echo ok", "hub@work__get-thing ok"}
			if diff := cmp.Diff(want, r.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			r = run(all, toolscript.CheckOff)
			if e := r.end.Error; e == nil || !strings.Contains(e.Message, `tools.hub.$as("home").missing does not exist`) {
				t.Errorf("a missing tool of an account: %+v", e)
			}
			r = run(wrong, toolscript.CheckOff)
			if got, want := string(r.end.Value), `["tools.hub has no account \"nobody\"; its accounts are: work, home","the name of an account is a text, not 1",`+
				`"tools.demo.$as does not exist; tools.demo has: broken, echo, fail, getThing, hang","tools.hub has no account \"__proto__\"; its accounts are: work, home","tools.hub has no account \"\"; its accounts are: work, home"]`; got != want {
				t.Errorf("value\n%s\nwant\n%s", got, want)
			}
			if r = run(`return tools.hub.$as("nobody")`, toolscript.CheckError); len(r.diagnostics) != 1 || !strings.Contains(r.diagnostics[0].Message, `"home" | "work"`) {
				t.Errorf("a wrong account is found by the check: %v", r.diagnostics)
			}
			for allow, want := range map[string]string{
				"hub": `[["ok","ok"],["hub"]]`, "hub__echo": `[["ok","ok"],["hub"]]`, "hub@home": `[["forbidden","ok"],["hub"]]`, "hub@work__echo": `[["ok","forbidden"],["hub"]]`, "demo": `[["forbidden","forbidden"],["demo"]]`,
			} {
				if r = run(one, toolscript.CheckError, allow); string(r.end.Value) != want {
					t.Errorf("--allow %s: %s, want %s; %+v %v", allow, r.end.Value, want, r.end.Error, r.diagnostics)
				}
			}
		})
	}
}

// TestDefaultAccountChanges: the order of the accounts decides which is the default, and another order
// keeps the connections.
func TestDefaultAccountChanges(t *testing.T) {
	servers := func(accounts ...string) map[string]upstream.Config {
		all := map[string]upstream.Config{}
		for _, account := range accounts {
			all["hub@"+account] = upstream.Config{Type: upstream.Stdio, Accounts: accounts}
		}
		return all
	}
	g := newGatewayOf(t, actors.Approvals{}, servers("work", "home"))
	for _, accounts := range [][]string{{"work", "home"}, {"home", "work"}, {"new", "work", "home"}, {"home"}} {
		changes, err := g.Configure(t.Context(), servers(accounts...))
		if err != nil || len(changes.Changed) > 0 {
			t.Fatalf("%q: %+v, %v", accounts, changes, err)
		}
		g.Await(t.Context(), nil)
		r := g.exec(t, toolscript.ExecRequest{Code: `await tools.hub.echo({}); return Object.keys(tools)`, Rules: toolscript.Rules{Engine: toolscript.EngineQuickJS, Check: toolscript.CheckError}}, "")
		if diff := cmp.Diff([]string{"hub@" + accounts[0] + "__echo ok"}, r.calls); diff != "" || string(r.end.Value) != `["hub"]` {
			t.Errorf("%q: value %s, %+v; calls (-want +got):\n%s", accounts, r.end.Value, r.end.Error, diff)
		}
	}
}

// TestNamesThatLookLikeAccounts: a server whose name only looks like that of an account does not start.
func TestNamesThatLookLikeAccounts(t *testing.T) {
	g := newGatewayOf(t, actors.Approvals{}, map[string]upstream.Config{"hub@work": {Type: upstream.Stdio}})
	g.Await(t.Context(), nil)
	servers, err := g.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if looks := s.Name == "hub@work"; looks != (s.State == toolscript.Failed) || looks != strings.Contains(s.Error, "separates server and account") {
			t.Errorf("%s is %s: %s", s.Name, s.State, s.Error)
		}
	}
}
