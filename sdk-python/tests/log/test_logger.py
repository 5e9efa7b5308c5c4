"""Whose the loggers are: the root is the application's."""

import subprocess
import sys

import pytest
from handoff_worker.log.shorten import MOST_LINE_CHARACTERS, MOST_TRACEBACK_LINES

SET_UP = "import logging\nfrom handoff_worker.log import logger\nlogger.set_up()\n"


def stderr_of(source: str) -> list[str]:
    """What a process of its own writes, since loggers are the whole process's."""
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert run.stdout == ""
    return run.stderr.splitlines()


def test_root_logger_is_left_alone() -> None:
    check = "root = logging.getLogger()\nassert (root.handlers, root.level) == ([], logging.WARNING), root"
    assert stderr_of(SET_UP + check) == []


def test_our_lines_go_to_stderr_where_nobody_configures_anything() -> None:
    assert stderr_of(SET_UP + "logger.log.info('here')") == ["INFO handoff: here"]


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_basic_config_works_and_has_each_of_our_lines_once(first: bool) -> None:
    configure = "logging.basicConfig(level=logging.DEBUG, format='mine %(message)s')\n"
    source = "import logging\n" + configure + SET_UP if first else SET_UP + configure
    told = "logging.getLogger('app').debug('app')\nlogger.log.info('handoff')"
    assert stderr_of(source + told) == ["mine app", "mine handoff"]


def test_a_logger_that_the_application_has_configured_stays_as_it_is() -> None:
    configure = "import logging\nlog = logging.getLogger('handoff')\nlog.setLevel('ERROR')\nlog.addHandler(logging.NullHandler())\n"
    assert stderr_of(configure + SET_UP + "logger.log.info('a')\nlogger.log.error('b')") == []


def test_a_traceback_is_short_whatever_its_message_is() -> None:
    source = """
from handoff_worker.log import logger
logger.set_up()
try:
    raise ValueError("first" + "x" * 100_000 + chr(10) * 100_000 + "last")
except ValueError as error:
    logger.log.error("failed", exc_info=error)
"""
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    lines = run.stderr.splitlines()
    assert lines[:2] == ["ERROR handoff: failed", "Traceback (most recent call last):"]
    assert "… (99803 more lines)" in lines and lines[-1] == "last"
    assert len(lines) <= MOST_TRACEBACK_LINES + 3 and max(map(len, lines)) < MOST_LINE_CHARACTERS + 30
