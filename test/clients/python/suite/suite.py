"""What the programs of this folder have in common.

A program does tasks, which it reads from its input. The variable MCP_URL has the address of
the MCP server; without it, the program starts `toolscript mcp`. MODEL_URL has the address
of the model.
"""

import json
import os
import sys

MCP_URL = os.environ.get("MCP_URL", "")
MODEL_URL = os.environ["MODEL_URL"]
TASKS = json.load(sys.stdin)
STDIO = {"command": "toolscript", "args": ["mcp"], "env": {name: os.environ[name] for name in ("HOME", "PATH")}}


async def call_all(call):
    """Makes the calls of the tasks without a model, and prints their results.

    call is a function of a tool and its arguments that returns the content of the result.
    """
    results = {}
    for task in TASKS:
        results[task["name"]] = []
        for step in task["calls"]:
            content = await call(step["tool"], step["args"])
            results[task["name"]].append({
                "text": "".join(getattr(part, "text", "") for part in content),
                "images": sum(part.type == "image" for part in content),
            })
    print("RESULTS " + json.dumps(results))
