// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A module of another port.
import x from "http://127.0.0.1:OTHER/x.ts";
return x
