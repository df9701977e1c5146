// engine: both
// expect: error check parsing ScriptCheckError: .*import
// The same by its old name.
import fs from "fs";
return fs
