// engine: both
// expect: ^exit 0\nvalue \["undefined",null\]\n$
// What the run before has left.
import * as all from "toolscript";
return [typeof (globalThis as any).left, (all.tools as any)[Symbol.for("left")] ?? null]
