"""RQ under the same load, its worker without a fork for each job. Prints one JSON line.

Arguments: tasks; the port of a Valkey is in BENCH_VALKEY_PORT.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time

import redis
from rq import Queue, SimpleWorker

_BATCH = 500


def main(tasks: int) -> None:
    connection = redis.Redis(port=int(os.environ["BENCH_VALKEY_PORT"]))
    queue = Queue(connection=connection)
    for sent in range(0, tasks, _BATCH):
        queue.enqueue_many([Queue.prepare_data("rq_job.noop") for _ in range(min(_BATCH, tasks - sent))])
    logging.getLogger("rq.worker").setLevel(logging.ERROR)
    worker = SimpleWorker([queue], connection=connection)
    start = time.perf_counter()
    worker.work(burst=True, logging_level="ERROR")
    rate = tasks / (time.perf_counter() - start)
    assert len(queue) == 0
    print(json.dumps({"tasks_per_s": rate}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
