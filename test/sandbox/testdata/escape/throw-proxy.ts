// engine: both
// expect: ^exit 1\nerror threw executing Error: (the script threw a value that cannot be shown|trap)\n
// A proxy is thrown, whose traps throw.
throw new Proxy(new Error("x"), { get() { throw new Error("trap") }, getPrototypeOf() { throw new Error("trap") }, getOwnPropertyDescriptor() { throw new Error("trap") } })
