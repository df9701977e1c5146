// engine: both
// cpuMs: 20000
// expect: ^exit 0\nvalue \["function",1\]\n
// The end of the stack inside of what the engine brings.
import { tools } from "toolscript";
let deepest = 0;
const dig = (n: number): void => { deepest = n; try { console.log(""); structuredClone({ a: 1 }); void (tools as any).nowhere } catch (e: any) { if (e instanceof RangeError) return } dig(n + 1) };
try { dig(0) } catch {}
const answer: any = await tools.demo.echo({ ok: 1 });
return [typeof console.log, answer.ok]
