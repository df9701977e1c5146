import asyncio
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import suite


async def main():
    transport = streamable_http_client(suite.MCP_URL) if suite.MCP_URL else stdio_client(StdioServerParameters(**suite.STDIO))
    async with AsyncExitStack() as stack:
        read, write = (await stack.enter_async_context(transport))[:2]
        session = await stack.enter_async_context(ClientSession(read, write))
        await session.initialize()

        async def call(tool, args):
            return (await session.call_tool(tool, args)).content

        await suite.call_all(call)


asyncio.run(main())
