// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// The same by a relative path.
import x from "../../../../../../../../etc/passwd" with { type: "text" };
return x
