"""A worker of asyncio: consumers of a queue look for each job in a list of those that were done."""

from benchmarks.errors.changes import ChangedProject, Replacement

WORKER = '''\
import asyncio


class Pipeline:
    """Does each job once, and again where it is asked to."""

    def __init__(self):
        self.done = []
        self.results = []

    async def consume(self, queue):
        while True:
            name, again = await queue.get()
            if again or name not in self.done:
                self.done.append(name)
                await asyncio.sleep(0)
                self.results.append(sum(map(ord, name)))
            queue.task_done()


async def work(count):
    pipeline, queue = Pipeline(), asyncio.Queue()
    consumers = [asyncio.create_task(pipeline.consume(queue)) for _ in range(4)]
    for number in range(count):
        await queue.put((f"job {number * 7 % (count - count // 5)}", number % 10 == 0))
    await queue.join()
    for each in consumers:
        each.cancel()
    return pipeline.results
'''
RUN = """\
import asyncio
import sys

from pipeline.worker import work

found = asyncio.run(work(int(sys.argv[1])))
print(len(found), sum(found))
"""
TEST = """\
import asyncio

from pipeline.worker import work


def test_each_job_is_done():
    assert len(asyncio.run(work(50))) >= 40
"""
TO_SET = (
    Replacement("pipeline/worker.py", "self.done = []", "self.done = set()"),
    Replacement("pipeline/worker.py", "self.done.append(name)", "self.done.add(name)"),
)
PROJECT = ChangedProject(
    "python run.py 4000",
    {"pipeline/__init__.py": "", "pipeline/worker.py": WORKER, "run.py": RUN, "tests/test_worker.py": TEST},
    right=TO_SET,
    wrong=(*TO_SET, Replacement("pipeline/worker.py", "if again or name not in", "if name not in")),
)
