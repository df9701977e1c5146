import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams, StreamableHTTPConnectionParams
from google.genai import types
from mcp import StdioServerParameters

import suite


async def main():
    if suite.MCP_URL:
        server = StreamableHTTPConnectionParams(url=suite.MCP_URL, timeout=60)
    else:
        server = StdioConnectionParams(server_params=StdioServerParameters(**suite.STDIO), timeout=60)
    tools = McpToolset(connection_params=server)
    runner = InMemoryRunner(LlmAgent(name="assistant", model="gemini-2.5-pro", tools=[tools]), app_name="suite")
    for task in suite.TASKS:
        session = await runner.session_service.create_session(app_name="suite", user_id="user")
        message = types.Content(role="user", parts=[types.Part(text=task["prompt"])])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            pass
    await tools.close()


asyncio.run(main())
