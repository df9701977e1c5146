// engine: both
// expect: ^exit 1\nerror (invalid_result|limit_stack) finalizing 
// A value as deep as JSON may be, which as part of a message it may not.
let v: any = [];
for (let i = 1; i < 10_000; i++) v = [v];
return v
