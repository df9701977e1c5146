// engine: both
// expect: error check parsing ScriptCheckError: .*import
// Code from text, as a module.
import x from "data:text/javascript,export default 1";
return x
