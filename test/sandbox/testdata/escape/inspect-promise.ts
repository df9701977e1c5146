// engine: both
// expect: ^exit 0\nvalue 
// The same of a promise.
const seen: string[] = [];
const p: any = Promise.resolve(1);
for (const name of ["Deno.customInspect", "Deno.privateCustomInspect", "nodejs.util.inspect.custom"]) p[Symbol.for(name)] = (...given: any[]) => { seen.push(given.map((g) => typeof g).join()); return "forged" };
console.log(p);
return seen
