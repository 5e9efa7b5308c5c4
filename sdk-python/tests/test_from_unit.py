"""The howtos of NGINX Unit for Django, Flask, FastAPI and Express, moved by `handoff import unit`, with their applications unchanged."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from serving import PATIENCE, ROOT, serving_config

FLASK = """\
from flask import Flask

app = Flask(__name__)


@app.route("/")
def hello_world():
    return "Hello, World!"
"""

FASTAPI = """\
from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def root():
    return {"message": "Hello, World!"}
"""

EXPRESS = """\
const express = require('express')
const http = require('node:http')
const app = express()

app.get('/', (req, res) => {
  res.set('X-Unit', req.protocol)
  res.send('Hello, Unit!')
})

http.createServer(app).listen()
"""


def moved(folder: Path, unit: dict[str, Any]) -> str:
    """Writes the handoff.json of a configuration, and returns what has no answer."""
    (folder / "unit.json").write_text(json.dumps(unit))
    command = [str(ROOT / "handoff"), "import", "unit", "unit.json"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE)
    (folder / "handoff.json").write_text(done.stdout)
    return done.stderr


def one_application(name: str, application: dict[str, Any]) -> dict[str, Any]:
    listeners = {"127.0.0.1:8080": {"pass": f"applications/{name}"}}
    return {"listeners": listeners, "applications": {name: application}}


def python(folder: Path, module: str, **more: object) -> dict[str, Any]:
    """As the howtos have it: `home` is the virtual environment."""
    return {"type": "python 3.11", "path": f"{folder}/", "home": f"{sys.prefix}/", "module": module, **more}


def test_flask(tmp_path: Path) -> None:
    (tmp_path / "wsgi.py").write_text(FLASK)
    assert moved(tmp_path, one_application("flask", python(tmp_path, "wsgi", callable="app"))) == ""
    with serving_config(tmp_path) as server:
        assert server.ask("GET", "/") == (200, b"Hello, World!")


def test_flask_behind_a_folder(tmp_path: Path) -> None:
    """The most usual route of Unit: a file where there is one, else the application."""
    (tmp_path / "wsgi.py").write_text(FLASK)
    (tmp_path / "www" / "css").mkdir(parents=True)
    (tmp_path / "www" / "css" / "a.css").write_text("p {}")
    unit = one_application("flask", python(tmp_path, "wsgi", callable="app"))
    unit["listeners"] = {"127.0.0.1:8080": {"pass": "routes"}}
    unit["routes"] = [{"action": {"share": f"{tmp_path}/www$uri", "fallback": {"pass": "applications/flask"}}}]
    assert moved(tmp_path, unit) == ""
    with serving_config(tmp_path) as server:
        assert server.ask("GET", "/css/a.css") == (200, b"p {}")
        assert server.ask("GET", "/") == (200, b"Hello, World!")
        assert server.ask("POST", "/", b"x")[0] == 405
        assert server.ask("GET", "/css/none.css")[0] == 404
        server.process.send_signal(signal.SIGHUP)
        for _ in range(300):
            assert server.ask("GET", "/") == (200, b"Hello, World!")
        server.await_log("replaced|reload")


def test_fastapi(tmp_path: Path) -> None:
    (tmp_path / "asgi.py").write_text(FASTAPI)
    assert moved(tmp_path, one_application("fastapi", python(tmp_path, "asgi", callable="app"))) == ""
    with serving_config(tmp_path) as server:
        assert server.ask("GET", "/") == (200, b'{"message":"Hello, World!"}')


def test_django_with_its_static_files(tmp_path: Path) -> None:
    def manage(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)

    manage("-m", "django", "startproject", "django_project", ".")
    with (tmp_path / "django_project" / "settings.py").open("a") as settings:
        settings.write("\nSTATIC_ROOT = BASE_DIR / 'static'\n")
    manage("manage.py", "collectstatic", "--no-input")
    manage("manage.py", "migrate")
    unit = {
        "listeners": {"127.0.0.1:8080": {"pass": "routes"}},
        "routes": [
            {"match": {"uri": "/static/*"}, "action": {"share": f"{tmp_path}$uri"}},
            {"action": {"pass": "applications/django"}},
        ],
        "applications": {
            "django": python(
                tmp_path,
                "django_project.wsgi",
                environment={"DJANGO_SETTINGS_MODULE": "django_project.settings"},
            )
        },
    }
    assert moved(tmp_path, unit) == ""
    with serving_config(tmp_path) as server:
        status, page = server.ask("GET", "/admin/login/")
        assert (status, b"Django administration" in page) == (200, True)
        style = (tmp_path / "static/admin/css/base.css").read_bytes()
        assert server.ask("GET", "/static/admin/css/base.css") == (200, style)
        assert server.ask("GET", "/static/none.css")[0] == 404


def test_express(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (ROOT / "node_modules" / "express").exists():
        pytest.skip("no Node, or no Express")
    (tmp_path / "app.js").write_text(EXPRESS)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    loads = ["--loader", "unit-http/loader.mjs", "--require", "unit-http/loader"]
    application = {
        "type": "external",
        "working_directory": f"{tmp_path}/",
        "executable": "/usr/bin/env",
        "arguments": ["node", *loads, "app.js"],
    }
    assert moved(tmp_path, one_application("express", application)) == ""
    with serving_config(tmp_path) as server:
        assert server.ask("GET", "/") == (200, b"Hello, Unit!")
