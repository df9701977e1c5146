// engine: both
// expect: ^exit 0\nvalue \[null,null,\["__proto__","constructor"\]\]\n
// __proto__ in the arguments and the answer of a tool.
import { tools } from "toolscript";
const answer = await tools.demo.echo(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
return [({} as any).polluted ?? null, (answer as any).polluted ?? null, Object.keys(answer as any)]
