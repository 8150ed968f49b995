"""Celery under the same load. Prints one JSON line. Its worker imports this file, too.

Arguments: tasks, samples; the port of a Valkey is in BENCH_VALKEY_PORT."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import redis
from celery import Celery

PORT = os.environ.get("BENCH_VALKEY_PORT", "6379")
# As its documentation advises for many short tasks; without the chatter between workers.
WORKER = ["worker", "--loglevel=ERROR", "--pool=prefork", "--concurrency=2", "--prefetch-multiplier=128"]
WORKER += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
app = Celery("celery_load", broker=f"redis://127.0.0.1:{PORT}/0", backend=f"redis://127.0.0.1:{PORT}/1")


@app.task
def noop() -> None:
    pass


def main(tasks: int, samples: int) -> None:
    results = redis.Redis(port=int(PORT), db=1)
    with app.pool.acquire(block=True) as connection, app.amqp.Producer(connection) as producer:
        for _ in range(tasks):
            noop.apply_async(producer=producer)
    command = [sys.executable, "-m", "celery", "-A", "celery_load", *WORKER]
    worker = subprocess.Popen(command, cwd=os.path.dirname(os.path.abspath(__file__)))
    try:
        while not (first := results.dbsize()):
            time.sleep(0.002)
        start = time.perf_counter()
        while results.dbsize() < tasks:
            time.sleep(0.005)
        rate = (tasks - first) / (time.perf_counter() - start)
        took = []
        for _ in range(samples):
            start = time.perf_counter()
            noop.delay().get(timeout=30)
            took.append((time.perf_counter() - start) * 1000)
    finally:
        worker.terminate()
        worker.wait(30)
    print(json.dumps({"tasks_per_s": rate, "result_ms": sorted(took)}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
