// engine: both
// expect: ^exit 0\nvalue 1\ncall demo__echo ok\n$
// A setter on the path of the prelude.
import { tools } from "toolscript";
try { Object.defineProperty(Object.prototype, "code", { set() { throw new Error("caught you") } }) } catch { /* refused */ }
return ((await tools.demo.echo({ a: 1 })) as any).a
