"""Runs an event loop at import, as a notebook's cells do."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import asyncio
async def wait():
    await asyncio.sleep(0)
    return 1
assert asyncio.run(wait()) == 1
""",
}
