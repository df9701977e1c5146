import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { mcpURL, modelURL, stdio, tasks } from "./suite.mjs";

const client = new MCPClient({ servers: { toolscript: mcpURL ? { url: new URL(mcpURL) } : stdio } });
const model = createOpenAICompatible({ name: "scripted", baseURL: modelURL, apiKey: "none" })("gpt-4o");
const agent = new Agent({ id: "assistant", name: "assistant", instructions: "Do the task.", model, tools: await client.listTools() });
for (const { prompt } of tasks) {
  await agent.generate(prompt, { maxSteps: 9 });
}
await client.disconnect();
