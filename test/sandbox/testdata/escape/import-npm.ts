// engine: both
// expect: error check parsing ScriptCheckError: .*import
// npm imports go to the registry whatever --allow-net says: a way out for data.
import x from "npm:is-number@7";
return x
