// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// The same as JSON.
import x from "SECRET" with { type: "json" };
return x
