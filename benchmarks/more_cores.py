#!/usr/bin/env python3
"""Says by simulation what Handoff does on more cores than this machine has: how much, how fast, and which part is the bound."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace

from harness import core_model, loop_costs, report
from harness.command import exit_code
from harness.core_model import Costs, Shape, default_loops, simulate
from harness.options import positive, tell
from harness.workspace import ROOT, Workspace, output_of

MEASURED = Costs(client=12.2, pool=2.75, call=4.2, hop=2.6, wake=4.2, worker=9.5, batch=24)
"""Of a plain function in Python that answers at once: medians on a busy machine of two cores, as `--measure` finds them (decision
26). Nobody has measured `wake`: it is a write and a read, and taken for as much as a call."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [positive(each) for each in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cores", type=numbers, default=[2, 4, 8, 16, 32, 64], help="as many lines (default: 2,4,…,64)"
    )
    parser.add_argument(
        "--workers", type=positive, help="of the pool (default: one for each core that is not a loop's)"
    )
    parser.add_argument(
        "--pool-loops", type=numbers, default=[1], help="loops that the pool is spread over (default: 1)"
    )
    parser.add_argument("--loops", type=positive, default=0, help="of the server (default: one for two cores)")
    parser.add_argument("--connections", type=positive, default=0, help="of the clients (default: 16 for each worker)")
    parser.add_argument("--weighed", action="store_true", help="give newcomers to the loop with the least work")
    parser.add_argument(
        "--slow-part", type=float, default=0, help="of the requests: takes a worker a hundred times as long"
    )
    parser.add_argument(
        "--answers", type=positive, default=20_000, help="that are played for each line (default: 20000)"
    )
    parser.add_argument(
        "--measure", action="store_true", help="measure the costs here first, about 5 minutes; needs wrk"
    )
    for cost in fields(Costs):
        default = getattr(MEASURED, cost.name)
        parser.add_argument(f"--{cost.name}", type=float, metavar="MICROS", help=f"a cost (default: {default})")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> None:
    costs = measured() if options.measure else MEASURED
    given = {cost.name: getattr(options, cost.name) for cost in fields(Costs)}
    costs = replace(costs, **{name: micros for name, micros in given.items() if micros is not None})
    tell(str(costs))
    print(table(costs, shapes(options), options.answers))


def measured() -> Costs:
    output_of(ROOT / "scripts" / "setup", "bench")  # installs wrk where it can
    workspace = Workspace()
    samples = []
    for kind, workers in (("plain", (1, 2, 4)), ("asgi", (1, 4))):
        with loop_costs.warm_server(workspace, kind, tell) as warm:
            samples += loop_costs.sample(warm, workers, 3, tell)
            if kind == "plain":
                tell(f"a connection takes {loop_costs.accepting(warm, 3):.1f} µs on the loop that accepts it")
        tell(f"a worker takes {loop_costs.worker_micros(samples, kind):.1f} µs, {kind}")
    fit = loop_costs.fit(samples)
    tell(str(fit))
    worker = loop_costs.worker_micros(samples, "plain")
    return replace(MEASURED, **asdict(fit), wake=fit.call, worker=worker)


def shapes(options: argparse.Namespace) -> list[Shape]:
    return [
        Shape(
            cores,
            options.workers or max(1, cores - default_loops(cores)),
            loops=options.loops,
            pool_loops=pool_loops,
            connections=options.connections,
            weighed=options.weighed,
            slow_part=options.slow_part,
        )
        for cores in options.cores
        for pool_loops in options.pool_loops
        if pool_loops <= (options.loops or default_loops(cores))
    ]


def table(costs: Costs, chosen: Sequence[Shape], answers: int) -> str:
    header = ["cores", "loops", "of the pool", "workers", "req/s", "p50 ms", "p99 ms", "bound"]
    header += [f"{part} busy" for part in core_model.PARTS]
    rows = []
    for shape in chosen:
        found = simulate(costs, shape, answers)
        figures = [shape.cores, shape.loop_count(), shape.pool_loops, shape.workers]
        rows.append(
            [
                *map(str, figures),
                f"{found.per_second:,.0f}",
                f"{found.p50_micros / 1000:.2f}",
                f"{found.p99_micros / 1000:.2f}",
                found.bound(),
                *(f"{found.busy[part]:.0%}" for part in core_model.PARTS),
            ]
        )
    return report.table(header, rows)


if __name__ == "__main__":
    sys.exit(exit_code(run, parse(sys.argv[1:])))
