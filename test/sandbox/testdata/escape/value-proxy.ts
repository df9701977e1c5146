// engine: both
// expect: error invalid_result finalizing
// A value that is a proxy which answers with more of itself.
const p: any = new Proxy({}, { get: (_, key) => (key === "then" || key === "toJSON" ? undefined : p), ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: p, enumerable: true, configurable: true }) });
return p
