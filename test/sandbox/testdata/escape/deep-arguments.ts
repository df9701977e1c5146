// engine: both
// expect: ^exit 0\nvalue "ToolError"\n
// cpuMs: 2000
// Arguments of 10,000 levels.
import { tools } from "toolscript";
let v: any = {};
for (let i = 1; i < 10_000; i++) v = { v };
try { await tools.demo.echo(v); return "sent" } catch (e: any) { return e.name }
