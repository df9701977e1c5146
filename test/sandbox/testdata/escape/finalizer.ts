// engine: both
// expect: ^exit (0\nvalue 1|1\nerror limit_time)
// A callback for when an object is gone.
const r = new FinalizationRegistry(() => { for (;;); });
for (let i = 0; i < 1000; i++) r.register({ i }, i);
return 1
