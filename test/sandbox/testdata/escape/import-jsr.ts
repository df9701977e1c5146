// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// The public module hosts.
import x from "jsr:@std/path";
return typeof x
