"""Phases of faults, and what has to hold in each of them."""

import random
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from os import kill
from pathlib import Path
from typing import Any

from faults.clients import CLOSED, CUT, LEFT, WHOLE, Client, Tally
from faults.server import PATIENCE_SECONDS, SITES, WORKERS, Server, await_true, becomes_true, serving
from faults.web_sockets import Sockets

CLIENTS = 12
FIRST_SHARE = 0.15
"""How much of the time the clients have without faults, before it is noted what the server holds."""
LIVE_BYTES = 16 * 1024 * 1024
"""How much more Java's heap may hold in the end. One upload that is kept, and some streams, are more."""
DRAIN_SECONDS = 2
"""Where responses outlive it. Less than `LASTING_SECONDS`, more than any request needs whose response does not last."""
DESCRIPTORS = 4
"""How many more the server may have open: those of a log, a timer or a look at a process."""


@dataclass(frozen=True)
class Plan:
    seconds: float
    seed: int
    broken: str = ""
    sockets: int = 2000


@dataclass(frozen=True)
class Phase:
    name: str
    faults: tuple["Fault", ...]
    share: float
    leaves: bool
    """Whether clients leave. Where none does, what they count and what the server counts is the same to the last request."""
    lasts: bool = False
    """Whether some responses outlive `--drain-timeout`, which cuts them off, and nothing else."""


class Round:
    """One server, and the phases that it lives through."""

    def __init__(self, plan: Plan, server: Server, tell: Callable[[str], None]) -> None:
        self.plan, self.server, self.tell = plan, server, tell
        self.random = random.Random(plan.seed)
        self.generation = 0
        self.violations: list[str] = []

    def run(self) -> None:
        self._phase(Phase("no faults", (), FIRST_SHARE, True))
        before = self._held()
        for phase in PHASES:
            self._phase(phase)
        await_true(self._restore, "pools that may be scaled")
        self.server.await_workers()
        self._compare(before, self._held())
        self._end()

    def outlive(self) -> None:
        """The one phase of a server that does not wait for the end of all responses."""
        self._phase(OUTLIVING)
        self.server.await_workers()

    def talk(self) -> None:
        """Each of thousands of WebSockets hears how it ends, and nothing stays of them."""
        before = self._held()
        sockets = self._opened()
        kill_worker(self)
        self._claim_ends(sockets, "a killed worker", "1012", self.plan.sockets - 1)
        self.claim(sockets.echo(), "the others do not echo behind a killed worker")
        self.tell(f"when the others have echoed: {dict(sockets.ends)}")
        self.claim(set(sockets.ends) == {"1012"}, f"a killed worker ended WebSockets with {dict(sockets.ends)}")
        sockets.close()
        self.server.await_workers()
        for name, change in (("a reload", reload), ("new pools", reconfigure)):
            sockets = self._opened()
            change(self)
            self._claim_ends(sockets, name, "1001", 0)
            self.server.await_workers()
        self._await_quiet()
        self._compare(before, self._held())
        sockets = self._opened()
        self.server.process.send_signal(signal.SIGTERM)
        self._claim_ends(sockets, "the end", "1001", 0)
        code = self.server.process.wait(120)
        self.claim(code == 0, f"the exit code is {code}")

    def _opened(self) -> Sockets:
        sockets = Sockets(self.server.port, [f"/{name}" for name in SITES], self.plan.sockets)
        self.claim(sockets.echo() and sockets.open == self.plan.sockets, "WebSockets do not echo")
        return sockets

    def _claim_ends(self, sockets: Sockets, name: str, code: str, left: int) -> None:
        """All end in time, but for so many."""
        begun = time.monotonic()
        while sockets.open > left and time.monotonic() < begun + PATIENCE_SECONDS:
            sockets.look()
        self.tell(
            f"{name}: of {self.plan.sockets} WebSockets ended {dict(sockets.ends)} in {time.monotonic() - begun:.1f} s"
        )
        self.claim(sockets.open <= left, f"{name}: {sockets.open} WebSockets are still open")
        self.claim(set(sockets.ends) == {code}, f"{name} ended WebSockets with {dict(sockets.ends)}")

    def _restore(self) -> bool:
        """Asks for as many workers as there were. The server refuses while it replaces some of them."""
        return all(self.server.ask("POST", f"/pools/{pool}/scale", {"workers": WORKERS}) for pool in SITES)

    def claim(self, holds: bool, what: str) -> None:
        if not holds:
            self.violations.append(what)
            self.tell(f"  BROKEN: {what}")

    def _phase(self, phase: Phase) -> None:
        self.server.ask("POST", "/stats/reset")
        tally, did = Tally(), []
        with crowd(self, phase, tally):
            if phase.lasts:
                await_true(lambda: self.server.ask("GET", "/stats")["streams"]["open"] >= CLIENTS // 2, "open streams")
                reload(self)
            end = time.monotonic() + phase.share * self.plan.seconds
            while time.monotonic() < end:
                if phase.faults:
                    fault = self.random.choice(phase.faults)
                    did.append(fault.__name__)
                    fault(self)
                time.sleep(self.random.uniform(0.05, 0.5))
        self._await_quiet()
        self.tell(f"{phase.name}: {counted(did)}; requests: {counted(tally.outcomes.elements())}")
        self._judge(phase, tally)

    def _judge(self, phase: Phase, tally: Tally) -> None:
        stats = self.server.ask("GET", "/stats")
        for violation in tally.violations:
            self.claim(False, f"{phase.name}: {violation}")
        seen = tally.outcomes
        self.claim(seen[WHOLE] > 0, f"{phase.name}: no request was answered")
        self.claim(seen[CLOSED] == 0, f"{phase.name}: {seen[CLOSED]} connections were closed without a response")
        broke_off = {why: stats["streams"]["ended"][why] for why in ("failed", "drained", "idle", "bad_length")}
        if not set(phase.faults) & set(VIOLENT):
            fine = (WHOLE, LEFT, CUT) if phase.lasts else (WHOLE, LEFT)
            others = {outcome: count for outcome, count in seen.items() if outcome not in fine}
            self.claim(not others, f"{phase.name}: graceful changes made {others} of requests")
            cut = {why: count for why, count in broke_off.items() if count and not (phase.lasts and why == "drained")}
            self.claim(not cut, f"{phase.name}: graceful changes cut streams: {cut}")
            self.claim(broke_off["drained"] > 0 or not phase.lasts, f"{phase.name}: nothing outlived a drain")
            lost = sum(pool["requests"]["lost"] for pool in stats["pools"])
            self.claim(lost == 0, f"{phase.name}: graceful changes lost {lost} requests")
        errors = sum(count for outcome, count in seen.items() if outcome[0].isdigit())
        for what, clients, server in (
            ("2xx", seen[WHOLE] + seen[CUT], stats["requests"]["byStatus"]["2xx"]),
            ("5xx", errors, stats["requests"]["byStatus"]["5xx"]),
            ("cut", seen[CUT], sum(broke_off.values())),
        ):
            agrees = clients <= server <= clients + seen[LEFT] + seen["wrong"]
            self.claim(
                agrees, f"{phase.name}: clients saw {clients} {what}, the server counted {server}, {seen[LEFT]} left"
            )

    def _await_quiet(self) -> None:
        def is_quiet() -> bool:
            stats = self.server.ask("GET", "/stats")
            gauges = (stats["requests"]["inFlight"], stats["streams"]["open"], stats["connections"]["open"])
            held = (stats["buffers"]["bytes"], stats["spool"]["requests"], stats["spool"]["bytes"])
            pools = [
                count
                for pool in stats["pools"]
                for count in (pool["inFlight"], pool["streams"], pool["queue"]["bytes"])
            ]
            return not any((*gauges, *held, *pools, *stats["retiring"]))

        await_true(is_quiet, "a server that holds nothing")

    def _held(self) -> dict[str, Any]:
        files = self.server.open_descriptors()
        return {
            "descriptors": len(files),
            "spooled": [file for file in files if str(self.server.spool) in file] + list(self.server.spool.iterdir()),
            "live bytes": self.server.live_bytes(),
        }

    def _compare(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.tell(f"held before the faults: {before}, after: {after}")
        most = before["descriptors"] + DESCRIPTORS
        # One look may find what is open for a moment, as while the core reads /proc.
        self.claim(becomes_true(lambda: len(self.server.open_descriptors()) <= most), "descriptors stay open")
        self.claim(not after["spooled"], "spooled files stay")
        self.claim(after["live bytes"] <= before["live bytes"] + LIVE_BYTES, "memory stays")

    def _end(self) -> None:
        """The server is told to end while all clients are at work."""
        tally = Tally()
        with crowd(self, Phase("the end", (), 0, True), tally) as clients:
            await_true(lambda: tally.outcomes[WHOLE] >= CLIENTS, "requests under way")
            self.server.process.send_signal(signal.SIGTERM)
            code = self.server.process.wait(120)
            for client in clients:
                client.join()
        self.tell(f"the end: exit code {code}; requests: {counted(tally.outcomes.elements())}")
        for violation in tally.violations:
            self.claim(False, f"the end: {violation}")
        others = {outcome: count for outcome, count in tally.outcomes.items() if outcome not in (WHOLE, LEFT, CLOSED)}
        self.claim(not others, f"the end made {others} of requests")
        self.claim(code == 0, f"the exit code is {code}")


@contextmanager
def crowd(round: Round, phase: Phase, tally: Tally) -> Iterator[list[Client]]:
    """All clients at work. What they have begun is finished when the block ends."""
    stop = threading.Event()
    seed = f"{phase.name} {round.plan.seed}"
    clients = [
        Client(number, round.server.port, seed, phase.leaves, phase.lasts, tally, stop) for number in range(CLIENTS)
    ]
    for client in clients:
        client.start()
    try:
        yield clients
    finally:
        stop.set()
        for client in clients:
            client.join()


def counted(names: Iterable[str]) -> str:
    all_ = list(names)
    return ", ".join(f"{all_.count(name)} {name}" for name in sorted(set(all_))) or "none"


Fault = Callable[[Round], None]


def reload(round: Round) -> None:
    """New workers, one after the other."""
    round.server.process.send_signal(signal.SIGHUP)


def reconfigure(round: Round) -> None:
    """New pools, while the old ones finish what they have."""
    round.generation += 1
    round.server.configure(round.generation)
    round.server.process.send_signal(signal.SIGHUP)


def scale(round: Round) -> None:
    pool = round.random.choice(list(SITES))
    round.server.ask("POST", f"/pools/{pool}/scale", {"workers": round.random.randint(1, WORKERS + 1)})


def drain(round: Round) -> None:
    if workers := round.server.workers():
        round.server.ask("POST", f"/workers/{round.random.choice(workers)['id']}/drain")


def kill_worker(round: Round) -> None:
    _signal(round, signal.SIGKILL)


def stop_worker(round: Round) -> None:
    """For a while, in which nothing comes of it."""
    process = _signal(round, signal.SIGSTOP)
    time.sleep(round.random.uniform(0.1, 1))
    with suppress(ProcessLookupError):
        kill(process, signal.SIGCONT)


def _signal(round: Round, what: signal.Signals) -> int:
    await_true(round.server.workers, "a worker")
    process: int = round.random.choice(round.server.workers())["pid"]
    with suppress(ProcessLookupError):
        kill(process, what)
    return process


GRACEFUL: tuple[Fault, ...] = (reload, reconfigure, scale, drain)
VIOLENT: tuple[Fault, ...] = (kill_worker, stop_worker)
PHASES = (
    Phase("graceful changes", GRACEFUL, 0.25, True),
    Phase("violence", VIOLENT, 0.25, False),
    Phase("all of it", GRACEFUL + VIOLENT, 0.25, True),
)
OUTLIVING = Phase("responses outlive a drain", (reload, reconfigure, drain), 0.1, leaves=False, lasts=True)


def run(plan: Plan, folder: Path, tell: Callable[[str], None]) -> list[str]:
    """The claims that did not hold."""
    found = violations(plan, serving(folder / "patient", plan.broken), Round.run, tell)
    found = found or violations(plan, serving(folder / "hurried", "", DRAIN_SECONDS), Round.outlive, tell)
    return found or violations(plan, serving(folder / "talking"), Round.talk, tell)


def violations(
    plan: Plan, serving: AbstractContextManager[Server], live: Callable[[Round], None], tell: Callable[[str], None]
) -> list[str]:
    with serving as server:
        round = Round(plan, server, tell)
        try:
            live(round)
        except AssertionError as problem:
            round.claim(False, str(problem))
        return round.violations
