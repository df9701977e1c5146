// engine: both
// expect: ^exit 1\nerror (threw|limit_time) 
// An error whose message takes for ever.
const e = new Error("x");
Object.defineProperty(e, "message", { get() { for (;;); } });
throw e
