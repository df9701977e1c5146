// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The environment of a process, as a file.
import x from "file:///proc/self/environ" with { type: "text" };
return x
