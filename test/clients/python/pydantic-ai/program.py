import asyncio

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import suite


async def main():
    server = MCPToolset(suite.MCP_URL or StdioTransport(**suite.STDIO))
    model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=suite.MODEL_URL + "/v1", api_key="none"))
    agent = Agent(model, toolsets=[server])
    async with agent:
        for task in suite.TASKS:
            await agent.run(task["prompt"])


asyncio.run(main())
