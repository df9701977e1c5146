// engine: both
// expect: error limit_time
// A number that takes for ever.
let n = 3n;
for (;;) n = n * n % (1n << 200000n) + n
