import asyncio
import marshal
import os
import tempfile


class Worker:
    def __init__(self, queue):
        self.queue = queue

    async def work(self):
        while True:
            message = await self.queue.get()
            try:
                task = marshal.loads(message)
                await self.handle(task)
            except Exception:
                continue

    async def handle(self, task):
        path = tempfile.mktemp()
        os.system("convert " + task["source"] + " " + path)
        await asyncio.sleep(0)
