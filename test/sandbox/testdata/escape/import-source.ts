// engine: both
// expect: error check parsing
// An import of a source.
import source x from "SECRET";
console.log(x);
