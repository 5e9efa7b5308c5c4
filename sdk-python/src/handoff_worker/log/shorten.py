"""Cuts texts of applications to what logs have room for: clients often choose what these texts say."""

MOST_CHARACTERS = 4000
MOST_LINES = 20
"""The limits of a message. The core cuts what it logs to hardly more."""
MOST_TRACEBACK_LINES = 200
MOST_LINE_CHARACTERS = 500
"""The longest line of a traceback."""


def message(text: str) -> str:
    """The beginning of a message, and how many characters follow."""
    end, line_end = min(len(text), MOST_CHARACTERS), -1
    for _ in range(MOST_LINES):
        line_end = text.find("\n", line_end + 1, end)
        if line_end < 0:
            break
    else:
        end = line_end
    return text if end == len(text) else f"{text[:end]}… ({len(text) - end} more characters)"


def traceback(text: str) -> str:
    """The beginning of a traceback, how many lines were left out, and its end, which says what was raised."""
    lines = text.split("\n")
    left_out = len(lines) - MOST_TRACEBACK_LINES
    if left_out > 0:
        half = MOST_TRACEBACK_LINES // 2
        lines = [*lines[:half], f"… ({left_out} more lines)", *lines[-half:]]
    return "\n".join(map(_line, lines))


def _line(text: str) -> str:
    more = len(text) - MOST_LINE_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_LINE_CHARACTERS]}… ({more} more characters)"
