import { Agent, MCPServerStdio, MCPServerStreamableHttp, run, setDefaultOpenAIClient, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";
import { mcpURL, modelURL, stdio, tasks } from "./suite.mjs";

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: modelURL, apiKey: "none" }));
const server = mcpURL ? new MCPServerStreamableHttp({ url: mcpURL }) : new MCPServerStdio(stdio);
await server.connect();
const agent = new Agent({ name: "assistant", instructions: "Do the task.", model: "gpt-4o", mcpServers: [server] });
for (const { prompt } of tasks) {
  await run(agent, prompt);
}
await server.close();
