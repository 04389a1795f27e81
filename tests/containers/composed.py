"""Base images of Debian packages under the names in Dockerfile and docker-compose.yml.

They stand in for the official images where no registry can be reached: the same users, folders and entry
scripts, as far as our files rely on them. Versions are Debian's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from tests.config.deploy.process_set import Ports, ProcessSet
from tests.config.deploy.team import eventually
from tests.runtime.interpreters import pip

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


COMPOSE: Final = "podman-compose==1.6.0"
NAME: Final = "anatomark-check"
IMAGE: Final = "localhost/anatomark:local"
APP: Final = ("web", "worker", "files", "beat")
SERVICES: Final = ("postgres", "redis", *APP, "proxy")
# The default limits need a capability that a container in a container lacks; crun needs its own cgroups.
SETTINGS: Final = """[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
"""


def build() -> None:
    """Build the image from the Dockerfile with this machine's package index."""
    told = [name for name in ("PIP_CERT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL") if name in os.environ]
    files = [path for path in ("/etc/pip.conf", *_certificates()) if Path(path).is_file()]
    mounts = [word for path in files for word in ("-v", f"{path}:{path}:ro")]
    given = [word for name in told for word in ("--env", name)]
    with copied() as place:
        run("podman", "build", *CHROOT, *mounts, *given, "-t", IMAGE, ".", cwd=place)


def size_mb() -> int:
    """Return the size of the image in MB."""
    return int(run("podman", "image", "inspect", "-f", "{{.Size}}", IMAGE).stdout) // 10**6


@contextmanager
def copied() -> Iterator[Path]:
    """Return a copy of the repository for temporary secrets."""
    listed = run("git", "ls-files", "-co", "--exclude-standard").stdout.splitlines()
    with tempfile.TemporaryDirectory(prefix="anatomark-compose-") as folder:
        for name in listed:
            if (ROOT / name).is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        yield Path(folder)


@dataclass
class Composed:
    """The running set. `place` holds its secrets."""

    place: Path
    tool: tuple[str, ...]

    @property
    def team(self) -> ProcessSet:
        """Return a browser's address: the published port of docker-compose.yml, and its certificate."""
        return ProcessSet(self.place, Ports(https=443))

    def manage(self, *words: str) -> str:
        """Run a command of manage.py in the web's container and return its output."""
        return run("podman", "exec", self.container("web"), "python", "manage.py", *words).stdout

    def healthy(self, service: str) -> bool:
        """Run the health checks of docker-compose.yml; podman runs them only under systemd."""
        done = run("podman", "healthcheck", "run", self.container(service), check=False)
        return done.returncode == 0

    def up(self) -> None:
        """Bring every service up as soon as what it depends on is as it has to be.

        podman-compose would not wait for health where podman is older than 4.6.
        """
        for service, wanted in in_turn(
            YAML(typ="safe").load((self.place / "docker-compose.yml").read_text())
        ):
            for other, condition in wanted.items():
                if condition["condition"] == "service_healthy":
                    eventually(lambda other=other: self.healthy(other))
                else:
                    status = run("podman", "wait", self.container(other)).stdout.strip()
                    assert status == "0", f"{other} ended with {status}"
            self.compose("up", "-d", "--no-build", "--no-deps", service)

    def container(self, service: str) -> str:
        """Return a service's container."""
        return f"{NAME}_{service}_1"

    def logs(self) -> str:
        """Return the end of every service's log."""
        names = ("migrate", *SERVICES)
        parts = [run("podman", "logs", "--tail", "20", self.container(name), check=False) for name in names]
        return "\n".join(
            f"── {name}\n{part.stdout}{part.stderr}" for name, part in zip(names, parts, strict=True)
        )

    def compose(self, *words: str) -> None:
        """Run podman-compose on docker-compose.yml."""
        settings = self.place / "containers.conf"
        settings.write_text(SETTINGS, encoding="utf-8")
        os.environ["CONTAINERS_CONF"] = str(settings)  # also for `podman exec`
        # Read-only as with Docker: podman would mount memory over /run and hide the image's files.
        own = ("-p", NAME, "--podman-run-args=--read-only-tmpfs=false")
        run(*self.tool, *own, *words, cwd=self.place)


@contextmanager
def composed() -> Iterator[Composed]:
    """Create the secrets as docs/how-to/deployment.md says, start the set, and remove it with its volumes."""
    with copied() as place:
        run("config/deploy/make_secrets.sh", "localhost", cwd=place)
        (place / ".env").write_text("ANATOMARK_HOST=localhost\n", encoding="utf-8")
        running = Composed(place, podman_compose())
        try:
            running.up()
            yield running
        except (AssertionError, OSError) as failed:
            raise AssertionError(f"{failed}\n{running.logs()}") from failed
        finally:
            running.compose("down", "-v")


def in_turn(compose: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[str, str]]]]:
    """Yield each service of a compose file with its dependencies, dependencies first."""
    wanted = {name: dict(service.get("depends_on", {})) for name, service in compose["services"].items()}
    for name in TopologicalSorter(wanted).static_order():
        yield name, wanted[name]


def podman_compose() -> tuple[str, ...]:
    """Return podman-compose in a separate environment, because the development lock omits it."""
    home = ROOT / "var" / "containers" / COMPOSE
    python = str(home / "bin" / "python")
    if not (home / "complete").exists():
        shutil.rmtree(home, ignore_errors=True)
        run(sys.executable, "-m", "venv", "--without-pip", str(home))
        run(*pip(), "--python", python, "install", "--disable-pip-version-check", "-qq", COMPOSE)
        (home / "complete").touch()
    return (python, "-m", "podman_compose")


def _certificates() -> list[str]:
    """Return the certificate authorities that pip trusts on this machine."""
    said = subprocess.run(
        [*pip(), "config", "get", "global.cert"], capture_output=True, text=True, check=False
    )
    return [path for path in (os.environ.get("PIP_CERT", ""), said.stdout.strip()) if path]
