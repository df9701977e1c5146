// engine: both
// expect: ^exit 1\nerror threw executing Error: Forged: x\n
// A class that says that all are its own.
class Forged { static [Symbol.hasInstance]() { return true } }
const e = Object.setPrototypeOf(new Error("x"), Forged.prototype);
throw e
