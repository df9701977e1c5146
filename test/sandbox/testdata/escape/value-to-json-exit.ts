// engine: both
// expect: ^exit 7\n$
// An end while the value is made into JSON.
import { exit } from "toolscript";
return { toJSON() { exit(7) } }
