// engine: both
// expect: ^exit 3\n$
// An end within an end.
import { exit } from "toolscript";
try { exit(3) } finally { exit(4) }
