# Works in pools of threads and processes, and in an event loop.
import asyncio
import multiprocessing
from concurrent.futures import ThreadPoolExecutor


async def both():
    return await asyncio.gather(asyncio.sleep(0, 1), asyncio.to_thread(abs, -2))


def f():
    with ThreadPoolExecutor(4) as threads, multiprocessing.get_context("fork").Pool(2) as processes:
        return sum(threads.map(abs, [-1])) + sum(processes.map(abs, [1, -2])) + sum(asyncio.run(both())) == 7
