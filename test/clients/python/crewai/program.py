from crewai import LLM, Agent
from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters

import suite

# Not the parameter mcps of Agent: with a server on HTTP, its calls fail in this version of CrewAI.
server = {"url": suite.MCP_URL, "transport": "streamable-http"} if suite.MCP_URL else StdioServerParameters(**suite.STDIO)
model = LLM(model="openai/gpt-4o", base_url=suite.MODEL_URL + "/v1", api_key="none")
with MCPServerAdapter(server) as tools:
    for task in suite.TASKS:
        Agent(role="assistant", goal="do the task", backstory="none", llm=model, tools=tools).kickoff(task["prompt"])
