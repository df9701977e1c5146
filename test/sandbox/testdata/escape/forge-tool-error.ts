// engine: both
// expect: error threw executing ToolError: not real
// A ToolError that a script creates has no kind.
import { ToolError } from "toolscript";
throw new ToolError("not real", { code: "limit_time", tool: "demo__echo" } as any)
