import { MCPClient } from "mcp-use";
import { callAll, mcpURL, stdio } from "./suite.mjs";

const client = new MCPClient({ mcpServers: { toolscript: mcpURL ? { url: mcpURL } : stdio } });
const session = await client.createSession("toolscript");
await callAll((name, args) => session.callTool(name, args));
await client.closeAllSessions();
