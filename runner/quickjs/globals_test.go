package quickjs_test

import (
	"strings"
	"testing"
)

func TestAbort(t *testing.T) {
	for expression, want := range map[string]string{
		`(() => { const c = new AbortController(); const seen = []; c.signal.addEventListener("abort", (e) => seen.push(e.type, e.target === c.signal));
		  c.signal.onabort = () => seen.push("on"); c.abort("why"); c.abort("again"); return [...seen, c.signal.aborted, c.signal.reason] })()`: `["on","abort",true,true,"why"]`,
		`AbortSignal.abort().reason.name`: `"AbortError"`,
		`(() => { try { AbortSignal.abort(5).throwIfAborted() } catch (e) { return e } })()`:                                                                           `5`,
		`(() => { const c = new AbortController(); const s = AbortSignal.any([c.signal, new AbortController().signal]); c.abort(1); return [s.aborted, s.reason] })()`: `[true,1]`,
		`await new Promise((r) => AbortSignal.timeout(1).addEventListener("abort", (e) => r(e.target.reason.name)))`:                                                   `"TimeoutError"`,
		`(() => { try { new AbortSignal() } catch (e) { return e.name } })()`:                                                                                          `"TypeError"`,
	} {
		value(t, expression, want)
	}
	// A pending AbortSignal.timeout does not keep a script alive.
	run(t, script(`AbortSignal.timeout(1e6)`), newHost())
}

func TestEvents(t *testing.T) {
	value(t, `(() => {
  const target = new EventTarget(), seen = [];
  const f = (e) => seen.push("f" + e.detail);
  target.addEventListener("x", f); target.addEventListener("x", f);
  target.addEventListener("x", { handleEvent(e) { seen.push(e.type, this !== undefined) } }, { once: true });
  target.addEventListener("x", (e) => { e.preventDefault(); e.stopImmediatePropagation() });
  target.addEventListener("x", () => seen.push("never"));
  const first = target.dispatchEvent(new CustomEvent("x", { detail: 1, cancelable: true }));
  target.removeEventListener("x", f);
  return [seen, first, target.dispatchEvent(new Event("x")), String(new Event("y"))];
})()`, `[["f1","x",true],false,true,"[object Event]"]`)
}

func TestStructuredClone(t *testing.T) {
	for expression, want := range map[string]string{
		`(() => { const a = {d: new Date(5), m: new Map([[1, {x: new Set([2])}]]), r: /a/g, n: null, u: undefined, b: 1n, f: [1, , 3]}; a.self = a;
		  const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), [...c.m.get(1).x], c.r.flags, "u" in c, String(c.b), 1 in c.f] })()`: `[true,true,5,[2],"g",true,"1",false]`,
		`(() => { const b = new ArrayBuffer(4), v = [new Uint8Array(b, 1, 2), new Uint8Array(b)]; const c = structuredClone(v); c[1][1] = 7;
		  return [c[0][0], v[0][0], c[0].length, c[0].buffer === c[1].buffer] })()`: `[7,0,2,true]`,
		`(() => { const b = new ArrayBuffer(4); const c = structuredClone(b, {transfer: [b]}); return [b.byteLength, c.byteLength] })()`:   `[0,4]`,
		`(() => { const e = structuredClone(new RangeError("m", {cause: [1]})); return [e instanceof RangeError, e.message, e.cause] })()`: `[true,"m",[1]]`,
		`Object.keys(structuredClone(JSON.parse('{"__proto__":{"x":1}}')))`:                                                                `["__proto__"]`,
		`["() => 1", "Symbol()", "new WeakMap()", "Promise.resolve()"].length`:                                                             `4`,
	} {
		value(t, expression, want)
	}
	for _, bad := range []string{`() => 1`, `Symbol()`, `new WeakMap()`, `Promise.resolve()`, `{a: [() => 1]}`} {
		if err := fails(t, script(`structuredClone(`+bad+`)`), newHost()); err.Name != "DataCloneError" {
			t.Errorf("structuredClone(%s): %s, want a DataCloneError", bad, err.Name)
		}
	}
}

func TestEncoding(t *testing.T) {
	for expression, want := range map[string]string{
		`[...new TextEncoder().encode("é😀\ud800")]`:                                                      `[195,169,240,159,152,128,239,191,189]`,
		`new TextEncoder().encodeInto("a😀b", new Uint8Array(4))`:                                         `{"read":1,"written":1}`,
		`new TextDecoder().decode(new Uint8Array([0xef,0xbb,0xbf,97]))`:                                  `"a"`,
		`new TextDecoder("utf8", {ignoreBOM: true}).decode(new Uint8Array([0xef,0xbb,0xbf,97])).length`:  `2`,
		`new TextDecoder().decode(new Uint8Array([0xff,97,0xf0,0x9f,0x98,0xe2,0x82,98,0xed,0xa0,0x80]))`: `"�a��b���"`,
		`(() => { const d = new TextDecoder(); return [d.decode(new Uint8Array([0xf0,0x9f]), {stream: true}), d.decode(new Uint8Array([0x98,0x80]), {stream: true}), d.decode()] })()`: `["","😀",""]`,
		`(() => { try { new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([0xff])) } catch (e) { return e.name } })()`:                                                     `"TypeError"`,
		`(() => { try { new TextDecoder("shift_jis") } catch (e) { return e.name } })()`:                                                                                               `"RangeError"`,
		`new TextDecoder().decode(new DataView(new Uint8Array([120,97,98]).buffer, 1))`:                                                                                                `"ab"`,
		`[atob("aGk="), btoa("hi")]`: `["hi","aGk="]`,
	} {
		value(t, expression, want)
	}
}

func TestCrypto(t *testing.T) {
	value(t, `/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`, `true`)
	value(t, `(() => { const a = new Uint32Array(64); return crypto.getRandomValues(a) === a && new Set(a).size > 60 })()`, `true`)
	for _, bad := range []string{`new Float64Array(1)`, `new Uint8Array(65537)`, `[1]`} {
		fails(t, script(`crypto.getRandomValues(`+bad+`)`), newHost())
	}
}

// TestURL compares the results with those of Node.js for the same URLs.
func TestURL(t *testing.T) {
	for input, want := range map[string]string{
		`"HTTP://User:Pa ss@Ex.COM:80/../a/./b/%2e%2e/c?x=1 2#f r"`: "http://User:Pa%20ss@ex.com/a/c?x=1%202#f%20r",
		`"../x?y", "http://h:8080/p/q/r?s#t"`:                       "http://h:8080/p/x?y",
		`"?q", "http://h/p?r#s"`:                                    "http://h/p?q",
		`"#f", "mailto:a@b"`:                                        "mailto:a@b#f",
		`"//other/x", "https://h/"`:                                 "https://other/x",
		`"https://[1:0:0::3.4.5.6]:443/"`:                           "https://[1::304:506]/",
		`"http://0x7f.1"`:                                           "http://127.0.0.1/",
		`"http://münchen.例え.jp/ä"`:                                  "http://xn--mnchen-3ya.xn--r8jz45g.jp/%C3%A4",
		`"file:///C|/x/../.."`:                                      "file:///C:/",
		`"/x", "file:///C:/d/e"`:                                    "file:///C:/x",
		`"http:\\\\a\\b"`:                                           "http://a/b",
		`"foo:/a/../b"`:                                             "foo:/b",
		`"data:text/plain,hi there"`:                                "data:text/plain,hi there",
		`"web+demo:/.//not-a-host/"`:                                "web+demo:/.//not-a-host/",
		`"http://a/?'\"<>{}|^"`:                                     `http://a/?%27%22%3C%3E{}|^`,
	} {
		value(t, `new URL(`+input+`).href`, `"`+strings.ReplaceAll(want, `"`, `\"`)+`"`)
	}
	for _, bad := range []string{`""`, `"x"`, `"http://"`, `"http://a b"`, `"http://a:65536"`, `"http://1.2.3.256"`, `"http://[::1"`, `"http://[1::2::3]"`, `"x", "mailto:a"`} {
		value(t, `[URL.canParse(`+bad+`), URL.parse(`+bad+`)]`, `[false,null]`)
		if err := fails(t, script(`new URL(`+bad+`)`), newHost()); err.Name != "TypeError" {
			t.Errorf("new URL(%s): %s, want a TypeError", bad, err.Name)
		}
	}
}

func TestURLParts(t *testing.T) {
	value(t, `(() => { const u = new URL("https://u:p@h:81/p/q?a=1#f");
  return [u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, JSON.stringify(u)] })()`,
		`["https://h:81","https:","u","p","h:81","h","81","/p/q","?a=1","#f","\"https://u:p@h:81/p/q?a=1#f\""]`)
	value(t, `(() => { const u = new URL("http://h/p?a=1#f");
  u.searchParams.append("b", "é &"); u.protocol = "https"; u.port = "443"; u.pathname = "x y"; u.hash = ""; u.host = "z:8"; u.username = "me@"; u.port = "no";
  return u.href })()`, `"https://me%40@z:8/x%20y?a=1&b=%C3%A9+%26"`)
	value(t, `(() => { const u = new URL("http://h/?a=1"); u.search = "?b=2&c"; return [u.searchParams.get("b"), u.searchParams.has("a"), [...u.searchParams]] })()`,
		`["2",false,[["b","2"],["c",""]]]`)
}

func TestURLSearchParams(t *testing.T) {
	for expression, want := range map[string]string{
		`String(new URLSearchParams({"a b": "c~'()*!", "%20": "%"}))`:    `"a+b=c%7E%27%28%29*%21&%2520=%25"`,
		`[...new URLSearchParams("?a%20b=c+d&&=&x")]`:                    `[["a b","c d"],["",""],["x",""]]`,
		`String(new URLSearchParams([["a", 1], ["a", 2], ["b", null]]))`: `"a=1&a=2&b=null"`,
		`(() => { const p = new URLSearchParams("b=1&a=2&b=3"); p.sort(); p.set("b", 9); p.delete("a"); return [String(p), p.size, p.getAll("b"), p.get("x")] })()`: `["b=9",1,["9"],null]`,
		`[...new URLSearchParams("a=1&b=2").keys(), ...new URLSearchParams("a=1").values()]`:                                                                        `["a","b","1"]`,
	} {
		value(t, expression, want)
	}
}
