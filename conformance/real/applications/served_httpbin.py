"""A plugin of pytest: the httpbin of requests' tests is the one at HTTPBIN_URL. That with TLS stays pytest-httpbin's own."""

import os
from urllib.parse import urljoin

import pytest
from pytest_httpbin.plugin import httpbin_ca_bundle, httpbin_secure  # noqa: F401


class Served:
    url = os.environ["HTTPBIN_URL"]

    def join(self, *path: str) -> str:
        return urljoin(self.url + "/", "/".join(path))

    def __add__(self, path: str) -> str:
        return self.url + path


@pytest.fixture(scope="session")
def httpbin() -> Served:
    return Served()
