#!/usr/bin/env python3
"""Prints the digest of each image that ours build on, as a file .env which Compose reads: pulls them, and so needs an engine and a network."""

import shutil
import subprocess
import sys

import pins


def main() -> int:
    if not shutil.which("docker"):
        print("supply/images.py: there is no docker command, and only a registry knows the digests", file=sys.stderr)
        return 1
    missing = 0
    for argument, image in sorted(pins.images().items()):
        try:
            docker("pull", "--quiet", image)
            print(f"{argument}={image}@{docker('image', 'inspect', '--format', DIGEST, image).partition('@')[2]}")
        except subprocess.CalledProcessError as failed:
            missing += 1
            print(f"supply/images.py: {image}: {failed.stderr.strip()}", file=sys.stderr)
    return 1 if missing else 0


# That of the index of all platforms, which is what was asked for.
DIGEST = "{{index .RepoDigests 0}}"


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
