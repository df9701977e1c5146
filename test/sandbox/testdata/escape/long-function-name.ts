// engine: both
// expect: ^exit 1\nerror threw executing Error: m\n$
// A function with a name of megabytes, in a trace.
const f = { ["n".repeat(1e6)]() { throw new Error("m") } };
f["n".repeat(1e6)]()
