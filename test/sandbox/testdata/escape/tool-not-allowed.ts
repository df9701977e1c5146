// engine: both
// expect: ^exit 0\nvalue "forbidden"\n
// A tool that is not on the list of the run.
import { tools } from "toolscript";
try { await tools.demo.fail({}); return "called" } catch (e: any) { return e.code }
