// engine: both
// expect: error limit_time
// A number whose computation does not end.
let n = 3n;
for (;;) n = n * n % (1n << 200000n) + n
