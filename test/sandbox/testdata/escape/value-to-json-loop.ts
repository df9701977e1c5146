// engine: both
// expect: error limit_time
// A loop while the value is made into JSON.
return { toJSON() { for (;;); } }
