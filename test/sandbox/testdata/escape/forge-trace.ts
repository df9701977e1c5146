// engine: both
// expect: error threw executing Error: real\nat script.ts:\d+\n$
// A stack that names files of the host.
const e = new Error("real");
try { (Error as any).prepareStackTrace = () => "at /etc/passwd:1:1" } catch { /* refused */ }
throw e
