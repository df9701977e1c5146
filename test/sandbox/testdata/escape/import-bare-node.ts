// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// The same by its old name.
import fs from "fs";
return fs
