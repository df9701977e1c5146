// engine: both
// expect: ^exit 1\nerror threw executing TypeError: .*does not exist
// A name that is a path to another route.
import { tools } from "toolscript";
return await (tools.demo as any)["../../stdin"]({})
