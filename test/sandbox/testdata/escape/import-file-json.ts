// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The same as JSON.
import x from "SECRET" with { type: "json" };
return x
