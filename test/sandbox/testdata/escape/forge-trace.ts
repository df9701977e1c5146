// engine: both
// expect: error threw executing Error: real\n    at script.ts:4:11\n$
// A stack that names files of the host.
const e = new Error("real");
try { (Error as any).prepareStackTrace = () => "at /etc/passwd:1:1" } catch { /* refused */ }
throw e
