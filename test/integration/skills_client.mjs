// A client of the official SDK that lists and reads the skills of an MCP server over HTTP, or of one that
// it starts, and prints what it got as JSON: skills_client.mjs URL HEADERS | COMMAND ARGS...
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { z } from "zod";

const [at, ...rest] = process.argv.slice(2);
const transport = at.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(at), { requestInit: { headers: JSON.parse(rest[0]) } })
  : new StdioClientTransport({ command: at, args: rest, env: process.env, stderr: "inherit" });
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(transport);
const got = { announced: client.getServerCapabilities().extensions ?? {}, read: {} };
const { skills } = await client.request({ method: "skills/list", params: {} }, z.any());
got.skills = skills;
for (const skill of skills) {
  const { skill: same } = await client.request({ method: "skills/get", params: { uri: skill.uri } }, z.any());
  if (JSON.stringify(same) !== JSON.stringify(skill)) throw new Error("skills/get differs: " + JSON.stringify(same));
  for (const { uri } of skill.resources) {
    const answer = await client.readResource({ uri }).catch((error) => ({ contents: [{ uri, text: String(error) }] }));
    if (answer.contents[0].uri !== uri) throw new Error("another URI: " + answer.contents[0].uri);
    got.read[uri] = answer.contents[0].text;
  }
}
const unknown = await client.request({ method: "skills/get", params: { uri: "skill://none/SKILL.md" } }, z.any()).catch((error) => error);
got.unknown = unknown.code;
const found = await client.callTool({ name: "search_tools", arguments: { query: "write release notes" } });
got.found = JSON.parse(found.content[0].text).skills ?? [];
console.log(JSON.stringify(got));
await client.close();
