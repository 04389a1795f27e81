"""Base images of Debian packages under the names in Dockerfile and docker-compose.yml.

They stand in for the official images where no registry can be reached: the same users, folders and entry
scripts, as far as our files rely on them. Versions are Debian's.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PLACES: Final = Path(__file__).resolve().parent / "debian"
RELEASE: Final = "bookworm"
PACKAGES: Final = "python3,python3-pip,python3-venv,ca-certificates,tzdata"
CHROOT: Final = ("--network=host", "--isolation", "chroot")
"""Capabilities that a container in a container lacks and a build does not need."""


def wanted() -> dict[str, str]:
    """Return image → the base it is made from, '' for the one made by debootstrap."""
    named = set(re.findall(r"^FROM (\S+:\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    named |= set(
        re.findall(r"image: (\S+-bookworm)$", (ROOT / "docker-compose.yml").read_text(), re.MULTILINE)
    )
    return {name: "" if name.startswith("python:") else name.partition(":")[0] for name in sorted(named)}


def make_missing() -> list[str]:
    """Build the missing images and return their names."""
    absent = [name for name in wanted() if run("podman", "image", "exists", name, check=False).returncode]
    for name in sorted(absent, key=lambda name: bool(wanted()[name])):
        if base := wanted()[name]:
            file = str(PLACES / f"{base}.Containerfile")
            run("podman", "build", "-q", *CHROOT, "-f", file, "-t", f"localhost/{name}", str(PLACES))
        else:
            _bootstrap(name)
    return absent


def _bootstrap(name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="anatomark-base-") as folder:
        root = Path(folder, "root")
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, str(root), *_mirror())
        (root / "usr" / "bin" / "python").symlink_to("python3")
        packed = str(Path(folder, "root.tar"))
        run("tar", "-C", str(root), "-cf", packed, ".")
        run("podman", "import", "-q", packed, f"localhost/{name}")


def _mirror() -> list[str]:
    """Return the machine's package mirror; empty for debootstrap's default."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", check=False).stdout
    found = [line.split()[0] for line in listed.splitlines() if line.split()[1:] == [RELEASE]]
    return [address for address in found if address.startswith("http")][:1]


def run(*command: str, check: bool = True, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program; if it fails and `check` is set, raise AssertionError with the end of its output."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    said = f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}"
    assert not check or done.returncode == 0, said
    return done
