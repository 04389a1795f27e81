"""A team's process set in one folder, from packages: the same as docker-compose.yml runs.

PostgreSQL, Redis, web, workers, beat and the proxy listen on 127.0.0.1 and keep all data below one folder.
Secrets are created there once, readable only by their owner. If root starts it, every process runs as `user`.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[3]
PLACES: Final = ROOT / "config" / "deploy"

ORDER: Final = ("postgres", "redis", "web", "worker", "files", "beat", "proxy")
SECRETS: Final = ("secret_key", "postgres_password", "redis_password")

START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 15.0
_UNPRIVILEGED: Final = "nobody"


class NotStarted(RuntimeError):
    """A process of the set did not start; the message holds the end of its log."""


def missing_programs() -> list[str]:
    """Return the programs of the set that are not installed."""
    wanted = {
        "nginx": program("nginx"),
        "redis-server": program("redis-server"),
        "postgres": postgres_program("postgres"),
        "openssl": program("openssl"),
    }
    return [name for name, found in wanted.items() if not found]


def program(name: str) -> str:
    """Return a program's path or ''; servers are often outside a user's PATH."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or ""


def postgres_program(name: str) -> str:
    """Return a program of the newest installed PostgreSQL; Debian keeps them outside the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(found[-1]) if found else program(name)


def free_port() -> int:
    """Return a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Ports:
    """The ports of the set, all on 127.0.0.1."""

    https: int = 8443
    http: int = 8080
    web: int = 8000
    postgres: int = 54320
    redis: int = 63790


def free_ports() -> Ports:
    """Return free ports."""
    return Ports(*(free_port() for _ in range(5)))


@dataclass
class ProcessSet:
    """The set in `home`. If root starts it, it runs as `user`; `python` runs the app's processes."""

    home: Path
    ports: Ports = field(default_factory=Ports)
    user: str = _UNPRIVILEGED
    python: tuple[str, ...] = (sys.executable,)
    extra: Mapping[str, str] = field(default_factory=dict)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Create folders, secrets, a certificate, the database cluster and the proxy's configuration."""
        for name in ("secrets", "media", "var", "logs", "temp", "redis", "static", "backups"):
            self._own(self.home / name)
        for name in SECRETS:
            self._keep_secret(name)
        self._certificate()
        self._cluster()
        _write(self.home / "nginx.conf", rendered(self._proxy_values()))
        if self.extra.get("MEDIA_STORE"):
            located = rendered({"RESOLVER": _resolver()}, "object-store.conf.template")
            _write(self.home / "temp" / "object-store.conf", located)

    def start_all(self) -> None:
        """Start everything, migrating the database and collecting static files before the web."""
        self.start("postgres")
        self.start("redis")
        self._make_database()
        self.manage("migrate", "--noinput", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")
        for name in ("web", "worker", "files", "beat", "proxy"):
            self.start(name)

    def start(self, name: str, *, wait: bool = True) -> None:
        """Start one process and wait until it responds; raise NotStarted if it fails."""
        given = self._redis_settings() if name == "redis" else b""
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                self._commands()[name],
                cwd=ROOT if name in {"web", "worker", "files", "beat"} else self.home,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._identity,
            )
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        self.running[name] = process
        if wait:
            self._wait(name, self._answers.get(name, lambda: True))

    def stop(self, name: str, number: signal.Signals = signal.SIGTERM, *, group: bool = False) -> int:
        """Stop one process (with its children if `group`) and return its exit status."""
        process = self.running.pop(name)
        # Fast shutdown, because on SIGTERM PostgreSQL waits for its clients.
        sent = signal.SIGINT if name == "postgres" and number == signal.SIGTERM else number
        _send(process, sent, group=group)
        try:
            return process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            _send(process, signal.SIGKILL, group=True)
            return process.wait()

    def stop_all(self) -> None:
        """End all processes in reverse order at once, but PostgreSQL, which would leave shared memory."""
        for name in reversed(ORDER):
            if name in self.running:
                ends = signal.SIGTERM if name == "postgres" else signal.SIGKILL
                self.stop(name, ends, group=ends == signal.SIGKILL)

    def manage(
        self, *words: str, check: bool = True, changed: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a manage.py command as the set's user; if it fails, raise NotStarted, depending on `check`."""
        return self.run(*self.python, "manage.py", *words, check=check, changed=changed)

    def run(
        self, *command: str, check: bool = True, changed: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run any program as the set's user; if it fails, raise NotStarted, depending on `check`."""
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**self.environment, **(changed or {})},
            capture_output=True,
            text=True,
            check=False,
            **self._identity,
        )
        if check and done.returncode:
            raise NotStarted(f"{' '.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    def log(self, name: str) -> Path:
        """Return the log file of a process."""
        path = self.home / "logs" / f"{name}.log"
        if not path.exists():
            path.touch()
            self._give(path)
        return path

    def secret(self, name: str) -> str:
        """Return one of SECRETS."""
        return (self.home / "secrets" / name).read_text(encoding="ascii").strip()

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of the app's processes, as in docker-compose.yml; secrets only by file."""
        ports, folder = self.ports, self.home / "secrets"
        plain = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "PYTHONPATH", "WORKER_PROCESSES")
            if name in os.environ
        }
        return {
            **plain,
            "PYTHON": self.python[0],
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "temp"),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONUNBUFFERED": "1",
            # Compiled once, so that a restart after a crash takes a third of the time.
            "PYTHONPYCACHEPREFIX": str(self.home / "temp" / "compiled"),
            "SECRET_KEY_FILE": str(folder / "secret_key"),
            "DATABASE_URL": f"postgresql://anatomark@127.0.0.1:{ports.postgres}/anatomark",
            "DATABASE_PASSWORD_FILE": str(folder / "postgres_password"),
            "REDIS_URL": f"redis://127.0.0.1:{ports.redis}/0",
            "REDIS_PASSWORD_FILE": str(folder / "redis_password"),
            "ALLOWED_HOSTS": "localhost",
            "SITE_ADDRESS": f"localhost:{ports.https}",
            "HTTPS": "1",
            "MEDIA_BY_PROXY": "1",
            "MEDIA_ROOT": str(self.home / "media"),
            "VAR_DIR": str(self.home / "var"),
            "STATIC_ROOT": str(self.home / "static"),
            "STATIC_COLLECTED": "1",
            "LOG_FORMAT": "json",
            "LOG_LEVEL": "INFO",
            "WEB_BIND": f"127.0.0.1:{ports.web}",
            **self.extra,
        }

    def _commands(self) -> dict[str, list[str]]:
        data = str(self.home / "postgres")
        options = [f"-c{name}={value}" for name, value in self._postgres_settings().items()]
        run = str(PLACES / "run.sh")
        return {
            "postgres": [postgres_program("postgres"), "-D", data, *options],
            "redis": [program("redis-server"), "-"],
            "web": [run, "web"],
            "worker": [run, "worker"],
            "files": [run, "files"],
            "beat": [run, "beat"],
            "proxy": [program("nginx"), "-p", str(self.home), "-c", "nginx.conf", "-g", "daemon off;"],
        }

    def _postgres_settings(self) -> dict[str, str]:
        return {
            "port": str(self.ports.postgres),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.home / "temp"),
            "max_connections": "100",
            # Otherwise its log would quote rows and statements with personal data.
            "log_error_verbosity": "terse",
            "log_min_error_statement": "panic",
        }

    def _redis_settings(self) -> bytes:
        # By standard input, so that neither a file nor the process list shows the password.
        own = f"bind 127.0.0.1\nport {self.ports.redis}\ndir {self.home / 'redis'}\n"
        shipped = (PLACES / "redis.conf").read_text(encoding="utf-8")
        return f"{shipped}{own}requirepass {self.secret('redis_password')}\n".encode()

    def _proxy_values(self) -> dict[str, str]:
        return {
            "TEMP": str(self.home / "temp"),
            "MEDIA": str(self.home / "media"),
            "WEB": f"127.0.0.1:{self.ports.web}",
            "HOST": "localhost",
            "ADDRESS": f"localhost:{self.ports.https}",
            "HTTP_PORT": f"127.0.0.1:{self.ports.http}",
            "HTTPS_PORT": f"127.0.0.1:{self.ports.https}",
            "CERTIFICATE": str(self.home / "secrets" / "tls.crt"),
            "CERTIFICATE_KEY": str(self.home / "secrets" / "tls.key"),
        }

    def _certificate(self) -> None:
        folder = self.home / "secrets"
        if (folder / "tls.crt").exists():
            return
        words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "825", "-subj", "/CN=localhost"]
        names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "tls.key", "-out", "tls.crt"]
        command = [program("openssl"), *words, *names]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, **self._identity)

    def _cluster(self) -> None:
        if (self.home / "postgres" / "PG_VERSION").exists():
            return
        self._own(self.home / "postgres", mode=0o700)
        words = ["-U", "anatomark", "-E", "UTF8", "--locale", "C.UTF-8", "-A", "scram-sha-256", "--pwfile"]
        command = [postgres_program("initdb"), "-D", str(self.home / "postgres"), *words]
        password = str(self.home / "secrets" / "postgres_password")
        subprocess.run([*command, password], cwd=self.home, check=True, capture_output=True, **self._identity)

    def _make_database(self) -> None:
        import psycopg

        address = f"host=127.0.0.1 port={self.ports.postgres} user=anatomark dbname=postgres"
        with psycopg.connect(address, password=self.secret("postgres_password"), autocommit=True) as server:
            if not server.execute("select 1 from pg_database where datname = 'anatomark'").fetchone():
                server.execute("create database anatomark")

    @property
    def _answers(self) -> dict[str, Callable[[], bool]]:
        return {
            "postgres": self._database_answers,
            "redis": lambda: _listens(self.ports.redis),
            "web": lambda: _listens(self.ports.web),
            "proxy": lambda: _listens(self.ports.https),
        }

    def _database_answers(self) -> bool:
        command = [postgres_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.ports.postgres)]
        return subprocess.run(command, check=False).returncode == 0

    def _wait(self, name: str, answers: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not answers():
            ended = self.running[name].poll()
            if ended is not None or time.monotonic() > deadline:
                said = self.log(name).read_text(encoding="utf-8", errors="replace")[-2000:]
                raise NotStarted(f"{name} did not start (exit status {ended}):\n{said}")
            time.sleep(0.1)

    def _keep_secret(self, name: str) -> None:
        path = self.home / "secrets" / name
        if not path.exists():
            _write(path, secrets.token_urlsafe(48), mode=0o600)
            self._give(path)

    def _own(self, folder: Path, mode: int = 0o755) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
        self._give(folder)

    def _give(self, path: Path) -> None:
        if os.geteuid() == 0:
            shutil.chown(path, self.user, _group_of(self.user))

    @property
    def _identity(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {}
        return {"user": self.user, "group": _group_of(self.user), "extra_groups": []}


def rendered(values: Mapping[str, str], name: str = "nginx.conf.template") -> str:
    """Return the proxy's configuration with every ${ANATOMARK_…} filled in; raise KeyError for others."""
    template = (PLACES / name).read_text(encoding="utf-8")
    return re.sub(r"\$\{ANATOMARK_([A-Z_]+)\}", lambda found: values[found[1]], template)


def _resolver() -> str:
    """Return this machine's name server in nginx syntax."""
    try:
        lines = Path("/etc/resolv.conf").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = [line.split()[1] for line in lines if re.match(r"nameserver\s+[\da-fA-F.:]+\s*$", line)]
    first = found[0] if found else "127.0.0.1"
    return f"[{first}]" if ":" in first else first


def _group_of(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.touch(mode)
    path.chmod(mode)
    path.write_text(text, encoding="utf-8")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _send(process: subprocess.Popen[bytes], number: signal.Signals, *, group: bool) -> None:
    if process.poll() is None:
        if group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
