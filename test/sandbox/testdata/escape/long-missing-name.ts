// engine: both
// expect: ^exit 0\nvalue 3000\d\d\d\n$
// A wrong name of megabytes, for which similar names are searched.
import { tools } from "toolscript";
let n = 0;
for (let i = 0; i < 3; i++) try { (tools as any)["x".repeat(1e6) + i] } catch (e: any) { n += e.message.length }
return n
