// engine: both
// expect: ^exit 1\nerror threw executing Error: Forged: x\n
// A class with a forged Symbol.hasInstance.
class Forged { static [Symbol.hasInstance]() { return true } }
const e = Object.setPrototypeOf(new Error("x"), Forged.prototype);
throw e
