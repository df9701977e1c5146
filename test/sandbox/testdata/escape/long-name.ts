// engine: both
// expect: ^exit 1\nerror threw executing N{1000}N+… \[3000000 bytes in all\]: m\n
// An error with a name of megabytes.
const e = new Error("m");
e.name = "N".repeat(3e6);
throw e
