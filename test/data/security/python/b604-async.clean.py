import asyncio


async def run(manager, arguments):
    process = await manager.spawn(arguments, stdout=-1)
    return await asyncio.wait_for(process.wait(), 5)
