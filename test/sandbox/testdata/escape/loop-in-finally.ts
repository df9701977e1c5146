// engine: both
// expect: error limit_time executing
// A script that never lets go.
const f = (): any => { try { for (;;); } finally { f() } };
f()
