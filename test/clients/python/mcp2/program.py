import asyncio

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import suite


async def main():
    async with Client(suite.MCP_URL or stdio_client(StdioServerParameters(**suite.STDIO))) as client:

        async def call(tool, args):
            return (await client.call_tool(tool, args)).content

        await suite.call_all(call)


asyncio.run(main())
