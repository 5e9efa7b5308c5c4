"""`make clean-docker`: removes what `make test-docker` keeps for its next run, and what one that was killed has left on the machine."""

import shutil
import subprocess

from harness import cache, host
from harness.commands import say


def main() -> None:
    with cache.held() as folder:
        note = folder / host.NOTE
        if note.exists():
            host.undo(note)
            say(
                "undid what a run that was killed had changed: the bridge, the rules of the firewall, the forwarding of packets"
            )
        size = subprocess.run(["du", "-sh", folder], check=False, capture_output=True, text=True).stdout.split()
        shutil.rmtree(folder)
        say(f"removed {folder}{f', {size[0]}' if size else ''}")


if __name__ == "__main__":
    main()
