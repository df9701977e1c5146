// engine: both
// expect: ^exit 0\nvalue "ok"\nstdout: 
// An object that pretends to be what it is not, where it is shown.
class Fake { get [Symbol.toStringTag]() { return "Map" } }
console.log(new Fake(), new Proxy({}, { ownKeys() { throw new Error("trap") } }));
return "ok"
