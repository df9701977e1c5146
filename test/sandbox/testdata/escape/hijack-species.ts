// engine: both
// expect: ^exit 0\nvalue \[true,"TypeError",true\]\n$
// Symbol.species and Symbol.iterator of the intrinsics lead nowhere.
const tries: unknown[] = [];
class Mine extends Array { static get [Symbol.species]() { return Object; } }
tries.push(new Mine(1, 2, 3).map((x) => x) instanceof Object);
try { (Array.prototype as any)[Symbol.iterator] = () => { throw new Error("mine") }; tries.push("changed") } catch (e: any) { tries.push(e.name) }
tries.push([...[1, 2]].length === 2);
return tries;
