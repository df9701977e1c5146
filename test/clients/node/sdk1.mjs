import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { callAll, mcpURL, stdio } from "./suite.mjs";

const client = new Client({ name: "suite", version: "1" });
await client.connect(mcpURL ? new StreamableHTTPClientTransport(new URL(mcpURL)) : new StdioClientTransport(stdio));
await client.listTools();
await callAll((name, args) => client.callTool({ name, arguments: args }));
await client.close();
