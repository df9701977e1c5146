// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The same by a relative path.
import x from "../../../../../../../../etc/passwd" with { type: "text" };
return x
