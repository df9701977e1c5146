// The host of the test of apps, a web page: a client of MCP, and the reference bridge between it and
// the apps, each of which is in a frame within the frame of the sandbox.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly, PostMessageTransport, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";

const { sandbox, mode } = window.settings;
const info = { name: "host", version: "1.0.0" };
const client = new Client(info, {
  capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
  versionNegotiation: { mode },
});
// The driver prints the text of the page if a test fails.
addEventListener("error", ({ message }) => { document.body.append(message); });
addEventListener("unhandledrejection", ({ reason }) => { document.body.append(String(reason?.stack ?? reason)); });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href)));
const { tools } = await client.listTools();

// The specification has a host refuse a call of an app whose tool is not listed for apps.
function check(name) {
  const tool = tools.find((t) => t.name === name);
  if (!tool) throw new Error(`the host knows no tool ${name}`);
  const visibility = tool._meta?.ui?.visibility;
  if (visibility && !visibility.includes("app")) throw new Error(`${name} is not for apps`);
}

window.host = {
  tools: () => tools.map((t) => ({ name: t.name, page: getToolUiResourceUri(t) ?? "", hidden: isToolVisibilityAppOnly(t) })),
  call: (name, args) => client.callTool({ name, arguments: args }).catch((error) => ({ refused: error.message, code: error.code })),
  read: (uri) => client.readResource({ uri }).catch((error) => ({ refused: error.message, code: error.code })),
  resources: async () => (await client.listResources()).resources.map((r) => r.uri),

  // show calls a tool as a model does, and shows its app.
  async show(name, args) {
    document.querySelector("iframe")?.remove();
    const tool = tools.find((t) => t.name === name);
    const { contents: [page] } = await client.readResource({ uri: getToolUiResourceUri(tool) });
    if (page.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`the page is ${page.mimeType}`);
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts allow-same-origin";
    frame.style = "width: 100%; height: 400px";
    document.body.append(frame);
    const bridge = new AppBridge(client, info, { serverTools: {}, serverResources: {} });
    const ready = new Promise((done) => bridge.addEventListener("sandboxready", done));
    const initialized = new Promise((done) => bridge.addEventListener("initialized", done));
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    const forward = bridge.oncalltool;
    bridge.oncalltool = (params, extra) => { check(params.name); return forward(params, extra); };
    frame.src = sandbox;
    await ready;
    await bridge.sendSandboxResourceReady({ html: page.text, csp: page._meta?.ui?.csp });
    await initialized;
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(await client.callTool({ name, arguments: args }));
    return page._meta ?? null;
  },
};
document.body.dataset.version = client.getNegotiatedProtocolVersion?.() ?? "unknown";
document.body.dataset.ready = "true";
document.body.append("The host is connected."); // a browser sees no element without a size
