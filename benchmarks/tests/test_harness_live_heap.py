import pytest
from harness.live_heap import Objects, grown_by, heap_of
from harness.load import LoadFailed

HISTOGRAM = """\
4711:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:         21337        1743536  [B (java.base@25.0.3)
   2:         18801         451224  java.lang.String (java.base@25.0.3)
   3:             7         186480  [J (java.base@25.0.3)
   4:             2             32  dev.handoff.Twice
   5:             1             16  dev.handoff.Twice
Total         40148        2381288
"""
BEFORE = {"Connection": Objects(1000, 72_000), "[Node;": Objects(1, 8_208), "[J": Objects(7, 180_000)}


def test_reads_what_each_class_has() -> None:
    heap = heap_of(HISTOGRAM)
    assert heap["java.lang.String"] == Objects(18_801, 451_224)
    assert heap["dev.handoff.Twice"] == Objects(3, 48)  # by two loaders
    assert len(heap) == 4


@pytest.mark.parametrize(
    "said",
    ["", "4711:\nCommand executed successfully\n", HISTOGRAM.partition("Total")[0], HISTOGRAM.replace("186480", "1")],
)
def test_a_histogram_that_is_not_whole_fails(said: str) -> None:
    with pytest.raises(LoadFailed, match="not with 'Total"):
        heap_of(said)


def test_grows_by_objects_and_by_tables_of_them() -> None:
    after = {**BEFORE, "Connection": Objects(2000, 144_000), "[Node;": Objects(1, 16_400), "Timer": Objects(9, 288)}
    assert grown_by(BEFORE, after, 1000) == 72_000 + 8_192 + 288


def test_what_is_gone_counts_too() -> None:
    assert grown_by({**BEFORE, "Timer": Objects(9, 288)}, BEFORE, 1000) == -288


def test_statistics_of_the_last_seconds_and_gaps_do_not_count() -> None:
    after = {**BEFORE, "[J": Objects(21, 540_000), "[Ljdk.internal.vm.FillerElement;": Objects(480, 65_960)}
    assert grown_by(BEFORE, after, 1000) == 0


def test_longs_count_where_each_one_has_some() -> None:
    assert grown_by(BEFORE, {**BEFORE, "[J": Objects(1007, 220_000)}, 1000) == 40_000
