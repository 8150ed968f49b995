"""usage: run.py --worker 'command' [scenario...]: performs the scenarios with that worker program, on the embedded store.

Needs FLOWFABRIC_BINARY and the Python SDK on the path.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
import tempfile
import time
from pathlib import Path

import flowfabric as ff
import harness


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", required=True, help="command of the worker program")
    parser.add_argument("scenarios", nargs="*")
    given = parser.parse_args()
    every = harness.scenarios()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ff-conformance-") as folder:
        for name in given.scenarios or every:
            place = Path(folder) / name
            place.mkdir()
            durable = every[name].get("durable", False)
            begun = time.monotonic()
            try:
                with ff.testing.server(data_dir=place / "data" if durable else ":memory:") as server:
                    told = asyncio.run(harness.perform(every[name], server, shlex.split(given.worker), place))
                print(f"ok   {name} ({time.monotonic() - begun:.1f} s) {told}", flush=True)
            except harness.Failed as failure:
                failures += 1
                print(f"FAIL {name}: {failure}", flush=True)
    print(f"{len(given.scenarios or every) - failures} of {len(given.scenarios or every)} scenarios passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
