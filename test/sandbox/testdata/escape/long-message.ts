// engine: both
// expect: ^exit 1\nerror threw executing Error: x{1000}x+… \[3000000 bytes in all\]\n
// An error of megabytes, which the record of the run would keep.
throw new Error("x".repeat(3e6))
