"""RESULTS.md: a document of sections with headings of the first level, each written by one command."""

from pathlib import Path

HEADING = "# "


def put(path: Path, section: str) -> None:
    """Puts the section in the place of the one with the same heading, or at the end; leaves the others as they are."""
    heading = section.partition("\n")[0]
    sections = _sections(path.read_text()) if path.exists() else []
    headings = [present.partition("\n")[0] for present in sections]
    if heading in headings:
        sections[headings.index(heading)] = section
    else:
        sections.append(section)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(part.rstrip("\n") + "\n" for part in sections))


def put_beside(path: Path, name: str, text: str) -> None:
    """Writes a file that the page shows, by its name as seen from there."""
    file = path.parent / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def _sections(text: str) -> list[str]:
    sections: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(HEADING) or not sections:
            sections.append("")
        sections[-1] += line
    return sections
