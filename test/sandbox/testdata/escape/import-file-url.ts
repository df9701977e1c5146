// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The same by URL.
import x from "file://SECRET" with { type: "json" };
return x
