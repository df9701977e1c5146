// engine: both
// expect: ^exit 0\nvalue \[\]\n$
// The symbol by which Deno reaches its own core.
return [...Object.getOwnPropertySymbols(Deno), ...Object.getOwnPropertySymbols(globalThis)].map(String).filter((name) => /internal|core|bootstrap/.test(name))
