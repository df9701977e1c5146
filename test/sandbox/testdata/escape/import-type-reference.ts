// engine: both
// expect: error check parsing ScriptCheckError: .*reference comments
// A reference comment names a file to the type checker.
/// <reference path="/etc/passwd" />
return 1
