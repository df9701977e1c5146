// engine: both
// expect: ^exit 1\nerror threw executing TypeError: .*does not exist
// A tool by the name it has on the wire.
import { tools } from "toolscript";
return await (tools as any)["demo__fail"]({})
