// An MCP server on stdio, made with the official SDK, that has a tool with a page and a tool for apps alone.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const uri = "ui://board/page.html";
const server = new McpServer({ name: "board", version: "1.0.0" });
const answer = (text) => ({ content: [{ type: "text", text }], structuredContent: { text }, _meta: { "board/private": text } });
server.registerTool("show", { description: "Shows the board.", _meta: { ui: { resourceUri: uri } } }, () => answer("shown"));
server.registerTool("count", { description: "Counts.", _meta: { ui: { visibility: ["app"] } } }, () => answer("counted"));
server.registerTool("ask", { description: "Asks.", _meta: { ui: { visibility: ["app"] } } }, async () => {
  const form = { message: "How many?", requestedSchema: { type: "object", properties: { n: { type: "integer" } } } };
  return answer(await server.server.elicitInput(form).then((got) => "asked: " + got.action, (error) => "refused: " + error.message));
});
server.registerResource("board", uri, { mimeType: "text/html;profile=mcp-app" }, () => ({
  contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<!doctype html><p>board", _meta: { ui: { csp: { connectDomains: ["https://a.example"] } } } }],
}));
await server.connect(new StdioServerTransport());
