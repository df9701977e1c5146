import asyncio

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI

import suite


async def main():
    set_tracing_disabled(True)
    if suite.MCP_URL:
        server = MCPServerStreamableHttp({"url": suite.MCP_URL}, client_session_timeout_seconds=60)
    else:
        server = MCPServerStdio(suite.STDIO, client_session_timeout_seconds=60)
    model = OpenAIResponsesModel("gpt-4o", AsyncOpenAI(base_url=suite.MODEL_URL + "/v1", api_key="none"))
    async with server:
        agent = Agent("assistant", model=model, mcp_servers=[server])
        for task in suite.TASKS:
            await Runner.run(agent, task["prompt"])


asyncio.run(main())
