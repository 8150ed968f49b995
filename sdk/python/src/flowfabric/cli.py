"""Command line: `python -m flowfabric worker my_module:app [--watch]`, or `flowfabric-worker my_module:app`."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .app import App
from .errors import ConfigError, FlowFabricError

_LOOK_EVERY_S = 0.5
_STOP_S = 30.0


def load(target: str) -> App:
    """The application that `module:name` names (`name` is `app` unless given)."""
    module_name, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and module_name.startswith(error.name):
            raise ConfigError(f"there is no module {error.name} here; run this in the folder it lies in") from None
        raise
    app = getattr(module, name or "app", None)
    if not isinstance(app, App):
        raise ConfigError(f"{module_name} has no application `{name or 'app'}`; write for example my_module:app")
    return app


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("app", help="module:name of the application")
    parser.add_argument("--watch", action="store_true", help="start again when a Python file below this folder changes")
    parser.add_argument("--concurrency", type=int, help="tasks held at a time (100)")
    parser.add_argument("--lane", action="append", dest="lanes", help="a lane to serve; may be repeated (those of its tasks)")
    parser.add_argument("--worker-id", help="name of the pool of workers this one belongs to (python)")
    parser.add_argument("--server", help="URL of the server (FF_SERVER_URL, else http://127.0.0.1:9090)")


def _run(given: argparse.Namespace) -> int:
    if given.watch:
        return _watch()
    if given.server:
        os.environ["FF_SERVER_URL"] = given.server
    app = load(given.app)
    changes: dict[str, Any] = {
        k: v for k, v in (("concurrency", given.concurrency), ("lanes", given.lanes), ("worker_id", given.worker_id)) if v
    }
    app.run(**changes)
    return 0


def _files() -> dict[str, float]:
    out = {}
    for path in Path.cwd().rglob("*.py"):
        if not any(part.startswith(".") or part in ("node_modules", "__pycache__") for part in path.parts[1:]):
            try:
                out[str(path)] = path.stat().st_mtime
            except OSError:
                continue  # it has just gone
    return out


def _watch() -> int:
    """Runs this command without --watch in a process of its own, again after each change."""
    command = [sys.executable, "-m", "flowfabric", "worker", *(a for a in sys.argv[1:] if a not in ("--watch", "worker"))]
    while True:
        seen = _files()
        child = subprocess.Popen(command)
        try:
            while _files() == seen:
                time.sleep(_LOOK_EVERY_S)
        except KeyboardInterrupt:
            _stop(child)
            return 0
        print("flowfabric: a file changed, starting again", file=sys.stderr)
        _stop(child)


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _guarded(given: argparse.Namespace) -> int:
    try:
        return _run(given)
    except FlowFabricError as error:
        print(f"flowfabric: {error}", file=sys.stderr)
        return 1


def worker_main() -> int:
    """`flowfabric-worker my_module:app`."""
    parser = argparse.ArgumentParser(prog="flowfabric-worker", description="Runs the tasks of an application.")
    _options(parser)
    return _guarded(parser.parse_args())


def main() -> int:
    """`python -m flowfabric`."""
    parser = argparse.ArgumentParser(prog="python -m flowfabric", description="FlowFabric for Python.")
    commands = parser.add_subparsers(required=True, metavar="command")
    worker = commands.add_parser("worker", help="run the tasks of an application")
    _options(worker)
    return _guarded(parser.parse_args())
