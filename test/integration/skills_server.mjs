// An MCP server on stdio, made with the official SDK, that serves one skill. With "forged", the bytes of
// the second file are not those of its digest.
import { createHash } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ListToolsRequestSchema, ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const head = "---\nname: release-notes\ndescription: Write the release notes\nmetadata:\n  version: \"2.1\"\n---\n";
const files = {
  "skill://release-notes/SKILL.md": head + `\n# Release notes\n\nSee references/style.md. ${process.argv[2] ?? ""}\n`,
  "skill://release-notes/references/style.md": "# Style — short\n",
};
const entry = {
  uri: "skill://release-notes/SKILL.md",
  frontmatter: { name: "release-notes", description: "Write the release notes", metadata: { version: "2.1" } },
  resources: Object.entries(files).map(([uri, text]) => ({
    uri, digest: "sha256:" + createHash("sha256").update(text).digest("hex"), size: Buffer.byteLength(text),
  })),
};

const server = new Server(
  { name: "skills", version: "1.0.0" },
  { capabilities: { tools: {}, resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } } },
);
const request = (method) => z.object({ method: z.literal(method), params: z.any().optional() });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
server.setRequestHandler(request("skills/list"), () => ({ skills: [entry] }));
server.setRequestHandler(request("skills/get"), () => ({ skill: entry }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  const text = process.argv[2] === "forged" ? files[uri].replace("short", "SHORT") : files[uri];
  return { contents: [{ uri, mimeType: "text/markdown", text }] };
});
await server.connect(new StdioServerTransport());
