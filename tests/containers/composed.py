"""docker-compose.yml unchanged, started by podman-compose in a copy of the repository."""

from __future__ import annotations

import os
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
from tests.containers.bases import CHROOT, ROOT, run
from tests.runtime.interpreters import pip

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
