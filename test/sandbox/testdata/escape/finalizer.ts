// engine: both
// expect: ^exit (0\nvalue 1|1\nerror limit_time)
// A callback of FinalizationRegistry.
const r = new FinalizationRegistry(() => { for (;;); });
for (let i = 0; i < 1000; i++) r.register({ i }, i);
return 1
