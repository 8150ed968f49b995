"""check.py <folder> lint|python|typescript: starts the server and holds its description to what others make of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

from flowfabric import testing

HERE = Path(__file__).resolve().parent
TOKEN = "of-the-generated-clients"


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **(env or {})}, check=True)


def lint(work: Path, url: str) -> None:
    """Without the network: no telemetry, no look for a newer version."""
    offline = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "CI": "true"}
    command = ["redocly", "lint", "--config", HERE / "redocly.yaml", "--format", "json", work / "openapi.json"]
    done = subprocess.run(
        [str(part) for part in command], cwd=work, env={**os.environ, **offline}, stdout=subprocess.PIPE, check=False
    )
    report = done.stdout.decode()
    # Warnings do not fail the command, but they fail us.
    if done.returncode != 0 or '"problems": []' not in report:
        sys.exit(f"redocly lint ended with {done.returncode} and found:\n{report}")


def python(work: Path, url: str) -> None:
    run(
        "openapi-python-client", "generate", "--path", work / "openapi.json", "--config", HERE / "client.yaml",
        "--output-path", work / "fabric_client", "--meta", "none", "--fail-on-warning", cwd=work,
    )  # fmt: skip
    shutil.copy(HERE / "use_client.py", work)
    run("mypy", "--strict", "--cache-dir", work.parent / "mypy", "fabric_client", "use_client.py", cwd=work)
    run(sys.executable, "use_client.py", url, TOKEN, cwd=work, env={"PYTHONPATH": str(work)})


def typescript(work: Path, url: str) -> None:
    run("openapi-typescript", work / "openapi.json", "--output", work / "fabric.ts", cwd=work)
    shutil.copy(HERE / "use_client.ts", work)
    shutil.copy(HERE / "tsconfig.json", work)
    (work / "package.json").write_text('{"private": true, "type": "module"}\n')
    run("tsc", "--project", work / "tsconfig.json", cwd=work)
    run("node", work / "out" / "use_client.js", url, TOKEN, cwd=work)


def main() -> None:
    folder, what = Path(sys.argv[1]), sys.argv[2]
    work = folder / what
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with testing.server(settings={"FF_API_TOKEN": TOKEN}) as server:
        request = urllib.request.Request(server.url + "/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request) as reply:
            (work / "openapi.json").write_bytes(reply.read())
        {"lint": lint, "python": python, "typescript": typescript}[what](work, server.url)


main()
