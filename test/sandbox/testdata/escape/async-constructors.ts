// engine: both
// expect: ^exit 0\nvalue \["TypeError","TypeError","TypeError"\]\n$
// Constructors of functions that no global names.
return [async () => {}, function* () {}, async function* () {}].map((f) => { try { return typeof (f as any).constructor("return globalThis") } catch (e: any) { return e.name } })
