// engine: both
// expect: ^exit 0\nvalue \["ReferenceError","ReferenceError","TypeError","TypeError","TypeError","TypeError"\]\n$
// Code from text, in every way.
const roads = [
  () => eval("1"),
  () => new Function("return 1")(),
  () => (() => 1).constructor("return 1")(),
  () => (async () => 1).constructor("return 1")(),
  () => (function* () {}).constructor("yield 1")(),
  () => (async function* () {}).constructor("yield 1")(),
];
return roads.map((road) => { try { return String((road as any)()) } catch (e: any) { return e.name } })
