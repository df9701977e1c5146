// What the programs of this folder have in common. A program does tasks, which it reads from its input. The variable MCP_URL
// has the address of the MCP server; without it, the program starts `toolscript mcp`. MODEL_URL has the address of the model.
import { text } from "node:stream/consumers";

export const mcpURL = process.env.MCP_URL;
export const modelURL = process.env.MODEL_URL + "/v1";
export const tasks = JSON.parse(await text(process.stdin));
export const stdio = { command: "toolscript", args: ["mcp"], env: { HOME: process.env.HOME, PATH: process.env.PATH } };

// callAll makes the calls of the tasks without a model, and prints their results. call returns the result of a tool.
export async function callAll(call) {
  const results = {};
  for (const task of tasks) {
    results[task.name] = [];
    for (const { tool, args } of task.calls) {
      const { content } = await call(tool, args);
      const images = content.filter((part) => part.type === "image").length;
      results[task.name].push({ text: content.map((part) => part.text ?? "").join(""), images });
    }
  }
  console.log("RESULTS " + JSON.stringify(results));
}
