// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The public module hosts.
import x from "jsr:@std/path";
return typeof x
