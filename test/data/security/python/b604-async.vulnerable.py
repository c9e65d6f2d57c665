import asyncio


async def run(manager, command):
    process = await manager.spawn(command, shell=True, stdout=-1)
    return await asyncio.wait_for(process.wait(), 5)
