// engine: both
// expect: ^exit (0|1\nerror limit_time)
// 100,000 timers for later.
for (let i = 0; i < 1e5; i++) clearTimeout(setTimeout(() => {}, 1e6));
return 1
