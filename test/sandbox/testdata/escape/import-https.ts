// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// A module of another host.
import x from "https://example.com/x.ts";
return x
