// engine: both
// expect: ^exit 1\nerror threw executing Error: m\n
// An error with a cause of megabytes.
throw new Error("m", { cause: "c".repeat(3e6) })
