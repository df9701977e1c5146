// engine: both
// expect: ^exit 0\nvalue "demo"\ncall demo__echo ok\n$
// Promises that the tools answer with.
import { tools } from "toolscript";
try { Object.defineProperty(Promise.prototype, "then", { value(f: any) { f({ forged: true }) } }) } catch { /* refused */ }
const answer: any = await tools.demo.echo({ name: "demo" });
return answer.name
