// engine: both
// expect: error threw executing ToolError: not real
// An error of a tool that a script makes has no kind of its own.
import { ToolError } from "toolscript";
throw new ToolError("not real", { code: "limit_time", tool: "demo__echo" } as any)
