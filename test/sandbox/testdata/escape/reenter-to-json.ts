// engine: both
// expect: ^exit 0\nvalue "number"\n(call demo__echo (ok|failed)\n)+$
// Tool calls while the arguments of one are made into JSON. Those that nobody awaits may be cut off by the end.
import { tools } from "toolscript";
let n = 0;
const args: any = { toJSON() { if (n++ < 50) tools.demo.echo(args).catch(() => {}); return { n } } };
const answer: any = await tools.demo.echo(args);
return typeof answer.n
