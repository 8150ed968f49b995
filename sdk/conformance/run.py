"""usage: run.py --worker 'command' [--store valkey] [scenario...]: performs the scenarios with that worker program.

On Valkey those stay away whose server dies. With FF_SOAK every kill is made, not half of them. Needs FLOWFABRIC_BINARY and
the Python SDK on the path.
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
import stores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", required=True, help="command of the worker program")
    parser.add_argument("--store", choices=["embedded", "valkey"], default="embedded")
    parser.add_argument("scenarios", nargs="*")
    given = parser.parse_args()
    every = harness.scenarios()
    on_valkey = given.store == "valkey"
    names = given.scenarios or [n for n, s in every.items() if not (on_valkey and s.get("durable"))]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="ff-conformance-") as folder, stores.settings(given.store) as settings:
        for name in names:
            place = Path(folder) / name
            place.mkdir()
            data = place / "data" if every[name].get("durable", False) else ":memory:"
            begun = time.monotonic()
            try:
                with ff.testing.server(settings=settings, data_dir=data) as server:
                    performed = harness.perform(every[name], server, shlex.split(given.worker), place)
                    told = asyncio.run(performed)
                print(f"ok   {name} ({time.monotonic() - begun:.1f} s) {told}", flush=True)
            except harness.Failed as failure:
                failures += 1
                print(f"FAIL {name}: {failure}", flush=True)
    print(f"{len(names) - failures} of {len(names)} scenarios passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
