// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// A module of another port.
import x from "http://127.0.0.1:OTHER/x.ts";
return x
