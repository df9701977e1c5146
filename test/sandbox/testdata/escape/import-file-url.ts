// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// The same by URL.
import x from "file://SECRET" with { type: "json" };
return x
