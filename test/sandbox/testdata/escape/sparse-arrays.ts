// engine: quickjs
// expect: ^exit 1\n
// An array of four thousand million holes meets a limit.
return JSON.stringify(new Array(2 ** 32 - 1)).length;
