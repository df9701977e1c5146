import asyncio

from fastmcp import Client

import suite


async def main():
    async with Client(suite.MCP_URL or {"mcpServers": {"toolscript": suite.STDIO}}) as client:

        async def call(tool, args):
            return (await client.call_tool(tool, args, raise_on_error=False)).content

        await suite.call_all(call)


asyncio.run(main())
