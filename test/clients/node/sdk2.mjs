import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { callAll, mcpURL, stdio } from "./suite.mjs";

const client = new Client({ name: "suite", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(mcpURL ? new StreamableHTTPClientTransport(new URL(mcpURL)) : new StdioClientTransport(stdio));
await client.listTools();
await callAll((name, args) => client.callTool({ name, arguments: args }));
await client.close();
