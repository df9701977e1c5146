// A client of the official SDK that subscribes to a resource of an MCP server over HTTP, or of one that it
// starts, sets the level of log messages, and prints what it was told as JSON: watching_client.mjs URL HEADERS | COMMAND ARGS...
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [at, ...rest] = process.argv.slice(2);
const transport = at.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(at), { requestInit: { headers: JSON.parse(rest[0]) } })
  : new StdioClientTransport({ command: at, args: rest, env: process.env, stderr: "inherit" });
const client = new Client({ name: "test", version: "1.0.0" });
const updated = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri)));
const logged = new Promise((resolve) => client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => resolve(n.params)));
await client.connect(transport);
await client.setLoggingLevel("info");
const uri = "demo://resource/dynamic/text/7";
await client.subscribeResource({ uri });
const code = `await tools.everything.toggleSubscriberUpdates()`;
const run = await client.callTool({ name: "run_script", arguments: { code } });
if (run.isError) throw new Error(run.content[0].text);
const got = { updated: await updated, logged: await logged, capabilities: client.getServerCapabilities() };
await client.unsubscribeResource({ uri });
got.unknown = await client.subscribeResource({ uri: "demo://none" }).then(() => "none", (error) => error.code);
console.log(JSON.stringify(got));
await client.close();
