import asyncio

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

import suite


async def main():
    server = {"transport": "streamable_http", "url": suite.MCP_URL} if suite.MCP_URL else {"transport": "stdio", **suite.STDIO}
    tools = await MultiServerMCPClient({"toolscript": server}).get_tools()
    model = ChatOpenAI(model="gpt-4o", base_url=suite.MODEL_URL + "/v1", api_key="none")
    for task in suite.TASKS:
        await create_agent(model, tools).ainvoke({"messages": [{"role": "user", "content": task["prompt"]}]})


asyncio.run(main())
