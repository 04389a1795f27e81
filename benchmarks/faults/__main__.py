"""Clients, jobs and faults against the real process set, on loopback, bounded in number and time.

    .venv/bin/python -m benchmarks.faults                                     small: about a minute or two
    .venv/bin/python -m benchmarks.faults --saves 100000 --faults 200 --jobs 500    the record
    .venv/bin/python -m benchmarks.faults --controls                          runs that must lose

Ends with status 1 where anything acknowledged was lost or stored twice, or where a control loses nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.faults import savers, seed, work
from benchmarks.faults.ledger import Ledger, Verdict, judge
from benchmarks.faults.nemesis import Nemesis
from benchmarks.faults.place import Place, place
from benchmarks.faults.relay import Relay
from benchmarks.faults.wire import Line, NoAnswer
from tests.config.deploy.process_set import ProcessSet, free_port, free_ports, missing_programs
from tests.config.deploy.supervising import watch
from tests.config.deploy.team import interpreter

KILLED = ("postgres: all killed",)
DROPPED = ("answers dropped",)
# Disabled protection, its fault, and what must be found.
CONTROLS: dict[str, dict[str, Any]] = {
    "synchronous_commit=off": {"kinds": KILLED, "unsynced": True, "finds": "lost"},
    "no key kept for repeated requests": {"kinds": DROPPED, "key": False, "finds": "doubled"},
    "acknowledged before the answer": {"kinds": KILLED, "early": True, "finds": "lost"},
}


def main() -> int:
    """Run as requested and print the outcome."""
    options = _options()
    if missing := missing_programs():
        print(f"Not installed: {', '.join(missing)}.")
        return 1
    if not options.controls:
        verdict, facts = run(options)
        print(json.dumps(facts, indent=2))
        return 0 if verdict.good and not facts["problems"] else 1
    ends = []
    for name, control in CONTROLS.items():
        verdict, _ = run(options, **{key: value for key, value in control.items() if key != "finds"})
        found = getattr(verdict, control["finds"])
        print(f"control: {name}: acknowledged {verdict.acknowledged}, {control['finds']} {found}", flush=True)
        ends.append(found > 0)
    return 0 if all(ends) else 1


def run(
    options: argparse.Namespace,
    *,
    kinds: tuple[str, ...] = (),
    unsynced: bool = False,
    key: bool = True,
    early: bool = False,
) -> tuple[Verdict, dict[str, Any]]:
    """Start a set, run clients, jobs and the nemesis, and compare."""
    with place(options.megabytes) as where, tempfile.TemporaryDirectory() as outside:
        python, told = interpreter(Path(outside))
        Path(outside).chmod(0o755)
        ports, web = free_ports(), free_port()
        relay = Relay(ports.web, web)
        extra = {**told, "WEB_BIND": f"127.0.0.1:{web}", "WEB_WORKERS": str(options.web_workers)}
        running = ProcessSet(where.home, ports, python=python, extra=extra)
        stop, lines = threading.Event(), list[str]()
        watcher = threading.Thread(target=watch, args=(running, stop, lines.append))
        try:
            running.prepare()
            if unsynced:
                with (where.home / "postgres" / "postgresql.conf").open("a") as settings:
                    settings.write("\nsynchronous_commit = off\nwal_writer_delay = 10s\n")
            running.start_all()
            study = seed.seed(running, options.images, work.IMAGES)
            _until_ready(running)
            watcher.start()
            ledger = Ledger(Path(outside) / "ledger")
            nemesis = Nemesis(running, where, relay, options.seed, kinds)
            tally, facts = _under_fire(running, study, ledger, nemesis, options, key=key, early=early)
            verdict = _compared(running, study, ledger, facts["clients"], early=early)
            facts = _facts(running, where, ledger, nemesis, tally, verdict, facts, lines)
            return verdict, facts
        finally:
            stop.set()
            if watcher.ident:
                watcher.join(60)
            running.stop_all()
            relay.close()
            if options.logs:
                _keep_logs(where.home / "logs", options.logs)


def _until_ready(running: ProcessSet) -> None:
    """Wait until the web responds; the relay listens from the start."""
    line, deadline = Line(running), time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(NoAnswer):
            if line.ask("GET", "/health/ready")[0] == 200:
                return line.close()
        time.sleep(0.5)
    raise RuntimeError("The web did not become ready within two minutes.")


def _under_fire(
    running: ProcessSet,
    study: seed.Study,
    ledger: Ledger,
    nemesis: Nemesis,
    options: argparse.Namespace,
    **how: bool,
) -> tuple[work.Tally, dict[str, Any]]:
    each = -(-options.saves // seed.CLIENTS)
    clients = [
        savers.Saver(running, person, ledger, range(i * each, (i + 1) * each), options.seed + i, **how)
        for i, person in enumerate(study.people)
    ]
    tally = work.Tally()
    askers = [work.Asker(running, study, tally, options.jobs) for _ in range(4)]
    threads: list[threading.Thread] = [*clients, *askers]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    struck = 0
    while any(client.is_alive() for client in clients) and time.monotonic() - begun < options.seconds:
        # Faults are spread over the acknowledged saves.
        if struck < options.faults and ledger.count >= (struck + 0.5) * options.saves / options.faults:
            struck += nemesis.strike()
        time.sleep(0.05)
    for client in clients:
        client.join(1)
    saving = time.monotonic() - begun
    for asker in askers:
        asker.join(max(1.0, work.ENDS_WITHIN_SECONDS - (time.monotonic() - begun - saving)))
    failed = [client.failed for client in clients if client.failed]
    late = sum(thread.is_alive() for thread in threads)
    return tally, {"clients": clients, "seconds": saving, "failed": failed, "late": late}


def _compared(
    running: ProcessSet, study: seed.Study, ledger: Ledger, clients: list[savers.Saver], *, early: bool
) -> Verdict:
    history, deadline = seed.history(running), time.monotonic() + 60
    while True:
        try:
            found = savers.exported(running, study)
            break
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
    idents = {pk: ident for client in clients for pk, ident in client.last.items()}
    return judge(ledger, history, found, idents)


def _facts(
    running: ProcessSet,
    where: Place,
    ledger: Ledger,
    nemesis: Nemesis,
    tally: work.Tally,
    verdict: Verdict,
    facts: dict[str, Any],
    lines: list[str],
) -> dict[str, Any]:
    left = seed.work_done(running)
    wrong_imports = len(set(left["imported"]) ^ tally.imported) + left["twice"]
    half = [*tally.half, *(str(path.name) for path in (running.home / "media").rglob("*.tmp"))]
    problems = [*facts["failed"], *tally.lost, *half]
    if wrong_imports:
        problems.append(f"{wrong_imports} imports that nobody or somebody twice asked for")
    if facts["late"]:
        problems.append(f"{facts['late']} clients did not finish in time")
    if ledger.remarks:
        problems.append(f"told to clients: {dict(ledger.remarks)}")
    return {
        "place": where.in_words,
        "saves": asdict(verdict),
        "seconds": round(facts["seconds"]),
        "acknowledged_per_second": round(ledger.count / facts["seconds"], 1),
        "requests_repeated": ledger.repeated,
        "answers_dropped": nemesis.relay.dropped,
        "longest_wait_of_a_save": round(ledger.longest_wait, 1),
        "longest_time_without_any_save": round(ledger.longest_silence, 1),
        "faults": sum(nemesis.done.values()),
        "faults_by_kind": dict(nemesis.done.most_common()),
        "started_again": len(lines),
        "jobs": {
            "asked": dict(tally.asked),
            "done": dict(tally.done),
            "lost": len(tally.lost),
            "doubled": left["twice"],
            "half": len(half),
            "failed_with_a_reason_and_asked_again": dict(tally.failed),
            "begun_more_than_once": len(left["attempts"]),
            "longest_seconds": round(tally.longest, 1),
            "unfinished": left["unfinished"],
        },
        "problems": problems,
    }


def _keep_logs(logs: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in logs.glob("*.log"):
        (target / path.name).write_bytes(path.read_bytes())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--saves", type=int, default=3_000)
    parser.add_argument("--faults", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", type=int, default=30)
    parser.add_argument("--web-workers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1_500, help="time limit; default 1500")
    parser.add_argument("--megabytes", type=int, default=3_000, help="size of the disk; default 3000")
    parser.add_argument("--logs", type=Path, help="keep the set's logs in this folder")
    parser.add_argument("--controls", action="store_true", help="the runs that must lose")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
