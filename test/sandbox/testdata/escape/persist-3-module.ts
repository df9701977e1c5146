// engine: both
// expect: ^exit 0\nvalue "TypeError"\n$
// Something for the next run, on the module that all import.
import * as all from "toolscript";
try { (all as any).left = 1; return "left" } catch (e: any) { return e.name }
