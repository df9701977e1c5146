// engine: both
// expect: ^exit 3\n$
// exit called during exit.
import { exit } from "toolscript";
try { exit(3) } finally { exit(4) }
