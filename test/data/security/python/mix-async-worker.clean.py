import asyncio
import json
import logging
import tempfile

log = logging.getLogger(__name__)


class Worker:
    def __init__(self, queue):
        self.queue = queue

    async def work(self):
        while True:
            message = await self.queue.get()
            try:
                await self.handle(json.loads(message))
            except ValueError as error:
                log.error("bad message: %s", error)

    async def handle(self, task):
        with tempfile.TemporaryDirectory() as folder:
            await task.convert(folder)
        await asyncio.sleep(0)
