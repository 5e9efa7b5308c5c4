"""The version that the images say they have."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_images_have_the_version_of_the_project() -> None:
    """`handoff --version` says that too; here it costs no image to find out."""
    (project,) = re.findall(
        r"<artifactId>handoff-parent</artifactId>\s+<version>(.+?)</version>", (ROOT / "pom.xml").read_text()
    )
    (labelled,) = re.findall(r'image\.version="?([^"\s\\]+)', (ROOT / "Dockerfile").read_text())

    assert labelled == project
