"""How the trace of another server differs from ours."""

from dataclasses import dataclass
from enum import Enum

from differential.traces import Message, Trace


class Kind(Enum):
    SAME = "same"
    """The same messages, and behind them both refuse or both do not."""
    OURS_STRICTER = "ours stricter"
    """The same messages, then we refuse what the peer accepts."""
    OURS_SOONER = "ours sooner"
    """The same messages, then we refuse bytes of which the peer awaits more, or reads none."""
    PEER_STRICTER = "peer stricter"
    """The same messages, then the peer refuses what we accept."""
    PEER_SOONER = "peer sooner"
    """The same messages, then the peer refuses bytes of which we await more, or read none."""
    OURS_CLOSES = "ours closes"
    """The same messages, after the last of which we close, as we announce in its answer; the peer accepts another."""
    PEER_CLOSES = "peer closes"
    """The other way round."""
    DIFFERENT_END = "different end"
    """Out of the same bytes both accept different messages, or one a message of which the other awaits more."""


@dataclass(frozen=True)
class Verdict:
    kind: Kind
    reason: str = ""
    """The refusal that made the difference."""


def compare(ours: Trace, peer: Trace, silent: bool = False) -> Verdict:
    """`silent`: the peer may have refused where it closed without a word."""
    shared = 0
    for our_message, peer_message in zip(ours.messages, peer.messages, strict=False):
        if our_message != peer_message:
            return Verdict(Kind.DIFFERENT_END, _difference(our_message, peer_message))
        shared += 1
    if len(ours.messages) > shared:
        return _fewer(peer, Kind.PEER_STRICTER, Kind.PEER_CLOSES)
    if len(peer.messages) > shared:
        return _fewer(ours, Kind.OURS_STRICTER, Kind.OURS_CLOSES)
    return Verdict(Kind.SAME) if silent else _same_messages(ours, peer)


def _difference(ours: Message, peer: Message) -> str:
    parts = ("method", "target", "body")
    return ", ".join(part for part in parts if getattr(ours, part) != getattr(peer, part))


def _fewer(trace: Trace, refuses: Kind, closes: Kind) -> Verdict:
    """What to think of a server that has seen the same messages as the other, but fewer."""
    if trace.refusal:
        return Verdict(refuses, trace.refusal.reason)
    return Verdict(closes if trace.announced_close else Kind.DIFFERENT_END, "number")


def _same_messages(ours: Trace, peer: Trace) -> Verdict:
    if ours.refusal and not peer.refusal:
        return Verdict(Kind.OURS_SOONER, ours.refusal.reason)
    if peer.refusal and not ours.refusal:
        return Verdict(Kind.PEER_SOONER, peer.refusal.reason)
    return Verdict(Kind.SAME)
