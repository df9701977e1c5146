// engine: both
// expect: ^exit 1\nerror (invalid_result|limit_stack) finalizing 
// cpuMs: 2000
// A value with the maximum depth of JSON, which exceeds the depth of a message.
let v: any = [];
for (let i = 1; i < 10_000; i++) v = [v];
return v
