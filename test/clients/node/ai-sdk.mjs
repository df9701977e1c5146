import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";
import { mcpURL, modelURL, stdio, tasks } from "./suite.mjs";

const client = await createMCPClient({ transport: mcpURL ? { type: "http", url: mcpURL } : new StdioTransport(stdio) });
const model = createOpenAICompatible({ name: "scripted", baseURL: modelURL, apiKey: "none" })("gpt-4o");
const tools = await client.tools();
for (const { prompt } of tasks) {
  await generateText({ model, tools, prompt, stopWhen: stepCountIs(9) });
}
await client.close();
