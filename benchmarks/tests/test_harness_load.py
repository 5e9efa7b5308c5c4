import pytest
from harness.load import LoadFailed, parse

ANSWERED = (
    '{"requests":1000,"micros":2000000,"p50":640,"p99":4100,"connect":0,"read":0,"write":0,"timeout":0,"status":0}'
)


def test_reads_the_last_line() -> None:
    load = parse(f"Running 2s test @ http://127.0.0.1:1/\n{ANSWERED}\n", client_cpu_seconds=0.5)
    assert (load.requests, load.seconds, load.p50_micros, load.p99_micros) == (1000, 2.0, 640, 4100)


@pytest.mark.parametrize("kind", ["connect", "read", "write", "timeout", "status"])
def test_one_error_of_any_kind_fails(kind: str) -> None:
    with pytest.raises(LoadFailed, match=f"1 {kind} errors"):
        parse(ANSWERED.replace(f'"{kind}":0', f'"{kind}":1'), client_cpu_seconds=0)


def test_no_request_fails() -> None:
    with pytest.raises(LoadFailed, match="no request"):
        parse(ANSWERED.replace("1000", "0"), client_cpu_seconds=0)
