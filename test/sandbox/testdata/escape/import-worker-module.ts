// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A thread of node.
import { Worker } from "node:worker_threads";
return new Worker("data:text/javascript,1")
