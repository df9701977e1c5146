package quickjs_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// framesScript makes calls that fail in functions of many kinds, each beside an error of the engine, and returns
// the traces that differ in more than the column of the call.
const framesScript = imports + `
const fail = tools.github.createIssue;
const quiet = (call) => (call.catch(() => {}), call);
const both = () => [new Error(), quiet(fail({}))];
function deep(n) { return n === 0 ? both() : deep(n - 1); }
class Caller {
  #field = 1;
  constructor() { this.pair = [new Error(), quiet(fail({}))]; }
  get got() { return [new Error(), quiet(fail({}))]; }
  static made() { return [new Error(), quiet(fail({}))]; }
  #own() { return [new Error(), quiet(fail({}))]; }
  run() { return this.#own(); }
}
const renamed = () => [new Error(), quiet(fail({}))];
Object.defineProperty(renamed, 'name', { value: 'gänse漢字' });
const unnamed = () => [new Error(), quiet(fail({}))];
delete unnamed.name;
const odd = () => [new Error(), quiet(fail({}))];
Object.defineProperty(odd, 'name', { get() { return 'never'; } });
const long = () => [new Error(), quiet(fail({}))];
Object.defineProperty(long, 'name', { value: 'n'.repeat(900) });
const handler = { get: () => [new Error(), quiet(fail({}))] };
const kinds = {
  both, renamed, unnamed, odd, long,
  'a name with spaces': () => [new Error(), quiet(fail({}))],
  anonymous: (() => () => [new Error(), quiet(fail({}))])(),
  deep: () => deep(5),
  deeper: () => deep(30),
  constructed: () => new Caller().pair,
  getter: () => new Caller().got,
  statics: () => Caller.made(),
  private: () => new Caller().run(),
  callback: () => [1].map(() => [new Error(), quiet(fail({}))])[0],
  sorted: () => { let r; [2, 1].sort(() => { r ??= [new Error(), quiet(fail({}))]; return 0; }); return r; },
  replaced: () => { let r; 'a'.replace(/a/, () => { r = [new Error(), quiet(fail({}))]; return ''; }); return r; },
  generator: () => { function* g() { yield [new Error(), quiet(fail({}))]; } return g().next().value; },
  afterAwait: async () => { await null; return [new Error(), quiet(fail({}))]; },
  asyncGenerator: async () => { async function* g() { await null; yield [new Error(), quiet(fail({}))]; } for await (const v of g()) return v; },
  then: () => Promise.resolve().then(() => [new Error(), quiet(fail({}))]),
  timer: () => new Promise((done) => { setTimeout(() => done([new Error(), quiet(fail({}))]), 1); }),
  proxied: () => new Proxy({}, handler).any,
  bound: () => both.bind(null)(),
  applied: () => Reflect.apply(both, null, []),
  spawned: () => { const p = [new Error(), quiet(tools.spawn.github.createIssue({}).done)]; return p; },
  lines: () => [
    new Error(), quiet(fail({
      a: 1,
    }))],
};
const place = /:\d+\)?$/;
const frames = (e) => e.stack.split('\n').slice(1).map((line, i) => i === 0 ? line.replace(place, '') : line).join('\n');
const wrong = [];
for (const [kind, f] of Object.entries(kinds)) {
  const [made, call] = await f();
  const failed = await call.then(() => 'succeeded', (e) => e);
  if (!(failed instanceof ToolError)) wrong.push([kind, String(failed)]);
  else if (frames(failed) !== frames(made)) wrong.push([kind, failed.stack, made.stack]);
}
export default [Object.keys(kinds).length, wrong];`

// TestFramesOfCalls: the trace of a call that fails is that of an error of the engine at the same place.
func TestFramesOfCalls(t *testing.T) {
	h := newHost()
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return nil, &toolscript.ToolError{Server: "github", Tool: "github__create_issue", Code: toolscript.ToolFailed, Message: "no"}
	}
	out := run(t, script(framesScript), h)
	if string(out.Value) != "[26,[]]" {
		t.Errorf("%s %+v", out.Value, out.Err)
	}
}
