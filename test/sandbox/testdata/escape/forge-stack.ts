// engine: both
// expect: ^exit 1\nerror threw executing Error: real\n(    at script.ts:4:11\n)?$
// A forged stack.
const e = new Error("real");
try { e.stack = "Error: forged\n    at /etc/passwd:1:1" } catch { /* refused */ }
throw e
