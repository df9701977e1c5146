// engine: both
// expect: ^exit 1\nerror threw executing Error: m\n
// A trace of 100,000 frames in the place of the engine's.
const e = new Error("m");
e.stack = "    at f (script.ts:1:1)\n".repeat(1e5);
throw e
