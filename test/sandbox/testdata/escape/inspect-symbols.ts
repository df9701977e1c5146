// engine: both
// expect: ^exit 0\nvalue \[\]\n
// Hooks of other engines for printing objects.
const seen: string[] = [];
const o: any = {};
for (const name of ["Deno.customInspect", "Deno.privateCustomInspect", "nodejs.util.inspect.custom", "Deno.internal"]) o[Symbol.for(name)] = (...given: any[]) => { seen.push(name); return String(given.length) };
class P extends Promise<any> {}
Object.assign(P.prototype, o);
console.log(o, [o], new Map([[o, o]]));
return seen
