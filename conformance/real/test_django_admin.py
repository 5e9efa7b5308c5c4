"""Django's admin as its user has it: a form to log in, users that are added, edited and deleted, and its static files."""

import re
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import requests
from served import APPLICATIONS, gunicorn, handoff

PASSWORD = "a long enough phrase"


class Browser:
    """Keeps cookies, and sends back what a page has in its form."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = requests.Session()
        self.seen: list[tuple[str, int, str]] = []

    def get(self, path: str) -> str:
        return self._tell("GET", path, self._session.get(self._url + path, timeout=60))

    def send(self, path: str, **fields: str) -> str:
        """Opens the form, changes these fields of it and sends it."""
        page = self.get(path)
        kept = dict(re.findall(r'<input type="(?:hidden|text)"[^>]*? name="([^"]+)" value="([^"]*)"', page))
        data = {**kept, **fields}
        answer = self._session.post(self._url + path, data=data, headers={"Referer": self._url + path}, timeout=60)
        return self._tell("POST", path, answer)

    def _tell(self, method: str, path: str, answer: requests.Response) -> str:
        statuses = "-".join(str(each.status_code) for each in [*answer.history, answer])
        self.seen.append((f"{method} {path}", len(answer.history), f"{statuses} {answer.headers.get('content-type')}"))
        return answer.text


def visit(server: AbstractContextManager[str]) -> list[tuple[str, int, str]]:
    with server as url:
        browser = Browser(url)
        assert "Log in" in browser.get("/admin/")
        assert "correct username and password" in browser.send("/admin/login/", username="root", password="wrong")
        assert "Site administration" in browser.send(
            "/admin/login/?next=/admin/", username="root", password="for tests"
        )
        added = browser.send(
            "/admin/auth/user/add/", username="zoë", password1=PASSWORD, password2=PASSWORD, usable_password="true"
        )
        assert "was added successfully" in added
        assert "zoë" in browser.get("/admin/auth/user/?q=zo%C3%AB")
        edited = browser.send("/admin/auth/user/2/change/", email="zoe@example.org", date_joined_0="2020-01-01")
        assert "was changed successfully" in edited
        assert "zoe@example.org" in browser.get("/admin/auth/user/")
        assert "was deleted successfully" in browser.send("/admin/auth/user/2/delete/", post="yes")
        assert "zoe@example.org" not in browser.get("/admin/auth/user/")
        assert "--primary" in browser.get("/static/admin/css/base.css")
        browser.get("/static/admin/nothing.css")
        return browser.seen


def test_admin(tmp_path: Path) -> None:
    def environment(name: str) -> dict[str, str]:
        variables = {"ADMIN_DATABASE": str(tmp_path / name)}
        subprocess.run([sys.executable, "django_admin.py"], cwd=APPLICATIONS, env=variables, check=True)
        return variables

    served = visit(handoff("django_admin:application", environment=environment("a")))
    by_gunicorn = visit(gunicorn("django_admin:application", environment("b")))
    print("django admin", len(served), "pages and forms")
    assert served == by_gunicorn
