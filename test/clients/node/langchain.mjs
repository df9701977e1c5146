import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { mcpURL, modelURL, stdio, tasks } from "./suite.mjs";

const server = mcpURL ? { transport: "http", url: mcpURL } : { transport: "stdio", ...stdio };
const client = new MultiServerMCPClient({ mcpServers: { toolscript: server } });
const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", configuration: { baseURL: modelURL } });
const agent = createAgent({ model, tools: await client.getTools() });
for (const { prompt } of tasks) {
  await agent.invoke({ messages: [{ role: "user", content: prompt }] });
}
await client.close();
