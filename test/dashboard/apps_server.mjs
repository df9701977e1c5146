// An MCP server on stdio with an app, made with the SDKs: apps_server.mjs NAME. Its page has the same
// URI as that of another one with another name.
import { RESOURCE_MIME_TYPE, registerAppResource, registerAppTool } from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const name = process.argv[2];
const uri = "ui://board/page.html";

// The page speaks with its host without an SDK. Each button calls the tool that it names.
const page = `<!doctype html><meta charset="utf-8"><title>${name}</title>
<h1>${name}</h1><p id="result"></p><p id="answer"></p>
${["count", "plain", "erase", "left_out"].map((tool) => `<button id="${tool}">${tool}_${name}</button>`).join("")}
<button id="common">common</button>
<script>
  let last = 0;
  const waiting = new Map();
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((done) => { waiting.set(++last, done); post({ id: last, method, params }); });
  addEventListener("message", ({ data }) => {
    waiting.get(data.id)?.(data);
    if (data.method === "ui/notifications/tool-result") document.querySelector("#result").textContent = data.params.content[0].text;
  });
  for (const button of document.querySelectorAll("button")) {
    button.onclick = async () => {
      document.querySelector("#answer").textContent = "";
      const { result, error } = await ask("tools/call", { name: button.textContent, arguments: {} });
      document.querySelector("#answer").textContent = error ? "error: " + error.message : JSON.stringify([result.content[0].text, result.structuredContent, result._meta]);
    };
  }
  ask("ui/initialize", { appInfo: { name: "${name}", version: "1.0.0" }, appCapabilities: {}, protocolVersion: "2026-01-26" })
    .then(() => post({ method: "ui/notifications/initialized", params: {} }));
</script>`;

const server = new McpServer({ name, version: "1.0.0" });
let count = 0;
const answer = (text) => ({ content: [{ type: "text", text }] });
registerAppTool(server, "show", { description: "Shows the board.", _meta: { ui: { resourceUri: uri } } }, () => answer(`shown by ${name}`));
registerAppTool(server, `count_${name}`, { description: "Counts.", _meta: { ui: { resourceUri: uri, visibility: ["app"] } } }, () => {
  count++;
  return { ...answer(`${name} ${count}`), structuredContent: { count }, _meta: { "board/private": name } };
});
for (const tool of [`erase_${name}`, `left_out_${name}`]) {
  registerAppTool(server, tool, { description: "Is for apps.", _meta: { ui: { visibility: ["app"] } } }, () => answer(`${tool} was called`));
}
registerAppTool(server, "secret", { description: "Is for models only.", _meta: { ui: { resourceUri: uri, visibility: ["model"] } } }, () => answer("secret"));
server.registerTool(`plain_${name}`, { description: "Says nothing about apps." }, () => answer(`plain ${name}`));
server.registerTool("common", { description: "Both servers have it." }, () => answer(`common ${name}`));
registerAppResource(server, "board", uri, {}, () => ({
  contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: page, _meta: { ui: { csp: { connectDomains: [`https://${name}.example`] }, permissions: { camera: {} }, prefersBorder: true } } }],
}));
await server.connect(new StdioServerTransport());
