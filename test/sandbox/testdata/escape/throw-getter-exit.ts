// engine: both
// expect: ^exit (0\n|1\nerror threw executing Error: )
// An error whose message ends the script well.
import { exit } from "toolscript";
const e = new Error("x");
Object.defineProperty(e, "message", { get() { exit(0) } });
throw e
