// engine: both
// expect: error threw executing TypeError: 
// A timer with text.
setTimeout("console.log(1)" as any, 1);
await new Promise((r) => setTimeout(r, 50))
