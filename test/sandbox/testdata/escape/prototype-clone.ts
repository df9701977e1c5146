// engine: both
// expect: ^exit 0\nvalue \[null,null,\["__proto__"\]\]\n$
// __proto__ through structuredClone.
const made = structuredClone(JSON.parse('{"__proto__":{"polluted":1}}'));
return [({} as any).polluted ?? null, made.polluted ?? null, Object.keys(made)]
