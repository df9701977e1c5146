// engine: both
// expect: ^exit 0\nvalue \["TypeError",null\]\n$
// Setting a variable for the next run.
const { env } = Deno as any;
let name = "set";
try { env.set("LEFT", "x") } catch (e: any) { name = e.name }
return [name, env.get("LEFT") ?? null]
