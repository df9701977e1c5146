// engine: both
// expect: ^exit (0\nvalue 1\n|1\nerror limit_(time|memory))
// The end of memory inside of a tool call.
import { tools } from "toolscript";
const kept: any[] = [];
try { for (;;) { kept.push("x".repeat(1e5) + kept.length); } } catch {}
kept.length = 0;
const answer: any = await tools.demo.echo({ ok: 1 });
return answer.ok
