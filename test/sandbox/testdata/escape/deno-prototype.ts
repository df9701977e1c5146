// engine: both
// expect: ^exit 0\nvalue \[true,true\]\n$
// Prototypes of the globals.
return [Object.getPrototypeOf(globalThis) === Object.prototype, Object.getPrototypeOf(Deno) === Object.prototype]
