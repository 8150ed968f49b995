"""The package as users get it: installed into an empty environment, with the README's program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import flowfabric as ff
from conftest import ROOT
from test_docs import blocks

SDK = ROOT / "sdk" / "python"


@pytest.mark.skipif("embedded" not in os.environ.get("FF_TEST_STORES", "embedded"), reason="the same on every store")
def test_program_of_the_readme_runs_where_the_package_is_installed(tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    programs = environment / "bin"
    install = [str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check", str(SDK)]
    subprocess.run(install, check=True, env=plain_environment())
    project = tmp_path / "project"
    project.mkdir()
    program, submit = blocks(SDK / "README.md")
    (project / "hello.py").write_text(program)
    (project / "submit.py").write_text(submit)
    with ff.testing.server() as server:
        settings = {**plain_environment(), "FF_SERVER_URL": server.url}
        worker = subprocess.Popen([str(programs / "python"), "hello.py"], cwd=project, env=settings)
        try:
            answer = subprocess.run(
                [str(programs / "python"), "submit.py"],
                cwd=project,
                env=settings,
                check=True,
                timeout=60,
                stdout=subprocess.PIPE,
                text=True,
            )
        finally:
            worker.terminate()
            left_with = worker.wait(30)
    assert (answer.stdout, left_with) == ("Hello, world!\n", 0)
    typed = subprocess.run(
        [str(programs / "python"), "-c", "import flowfabric, os; print(os.listdir(os.path.dirname(flowfabric.__file__)))"],
        cwd=project,
        env=settings,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "'py.typed'" in typed.stdout
    help_of_the_worker = subprocess.run([str(programs / "flowfabric-worker"), "--help"], env=settings, stdout=subprocess.PIPE)
    assert help_of_the_worker.returncode == 0


def plain_environment() -> dict[str, str]:
    """Without the source folder that these tests run from."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "FF_SERVER_URL", "FF_API_TOKEN")}
