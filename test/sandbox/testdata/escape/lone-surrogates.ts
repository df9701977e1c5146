// engine: both
// expect: ^exit 0\nvalue \[1,"\x{fffd}"\]\n
// Lone surrogates, printed, sent and returned.
import { tools } from "toolscript";
console.log("\ud800");
const answer: any = await tools.demo.echo({ s: "\udc00" });
return [answer.s.length, "\ud800"]
