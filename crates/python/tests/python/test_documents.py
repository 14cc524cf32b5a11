"""Documents are what their types say: nothing is missing, and nothing is there that they do not mention."""

from __future__ import annotations

import typing

import pytest

import fencewright as fw
from fencewright import documents

SB = fw.Text("shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n")
STUCK = fw.Text("shared x\nthread p { local r; await x == 2 }\nthread q { x = 1 }\n")
ANY = fw.Text("shared x, y\nthread p[*] { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n")
DEKKER = fw.Files(["corpus/c/dekker.c"])


def mismatches(value: object, kind: typing.Any, at: str = "") -> list[str]:
    """Where a value is not of a type."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return []
    if origin is typing.Union:
        return min((mismatches(value, part, at) for part in parts), key=len)
    if origin is typing.Literal:
        return [] if value in parts else [f"{at}: {value!r} is none of {parts}"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{at}: no list"]
        return [wrong for number, one in enumerate(value) for wrong in mismatches(one, parts[0], f"{at}[{number}]")]
    if origin is dict:
        if not isinstance(value, dict):
            return [f"{at}: no dictionary"]
        return [wrong for key, one in value.items() for wrong in mismatches(one, parts[1], f"{at}.{key}")]
    if typing.is_typeddict(kind):
        if not isinstance(value, dict):
            return [f"{at}: no dictionary"]
        hints = typing.get_type_hints(kind)
        found = [f"{at}.{key} is missing" for key in sorted(kind.__required_keys__ - value.keys())]
        for key, one in value.items():
            found += mismatches(one, hints[key], f"{at}.{key}") if key in hints else [f"{at}.{key} has no type"]
        return found
    kinds = (int, float) if kind is float else kind
    return [] if isinstance(value, kinds) else [f"{at}: {value!r} is no {kind}"]


@pytest.mark.parametrize(
    "document, kind",
    [
        (lambda: fw.check(SB, criteria=["drf", "trf", "robustness", "persistence", "states"]), documents.Check),
        (lambda: fw.check(SB, per_attack=True, delays=True), documents.Check),
        (lambda: fw.check(ANY), documents.Check),
        (lambda: fw.check(DEKKER), documents.Check),
        (lambda: fw.fence(SB, every=True), documents.Fence),
        (lambda: fw.fence(SB, algorithm="esop13"), documents.Fence),
        (lambda: fw.fence(SB, limits=fw.Limits(states=1)), documents.Fence),
        (lambda: fw.reach(STUCK), documents.Reach),
        (lambda: fw.reach(SB, model="tso"), documents.Reach),
        (lambda: fw.outcomes(SB), documents.Outcomes),
        (lambda: fw.outcomes(SB, model="aarch64", reference="tso", show="p.r == 0"), documents.Outcomes),
        (lambda: fw.simulate(STUCK), documents.Simulation),
        (lambda: fw.simulate(ANY), documents.Simulation),
        (lambda: fw.cycles(SB, arch="power", repair=True, policies=True), documents.Cycles),
        (lambda: fw.cycles(DEKKER, arch="aarch64", repair=True, orders=True, reference="tso"), documents.Cycles),
    ],
)
def test_documents(document: typing.Callable[[], object], kind: object) -> None:
    assert mismatches(document(), kind) == []


def test_errors() -> None:
    with pytest.raises(fw.Refused) as caught:
        fw.check(fw.Text("shared x\nthread p { x = 1 = 2; y = 1 }\n"))
    assert mismatches(caught.value.document, documents.Errors) == []


def test_mismatches_are_noticed() -> None:
    answer: typing.Any = fw.reach(SB)
    for key, wrong in [("verdict", "perhaps"), ("statistics", 3), ("surprise", 1)]:
        assert mismatches({**answer, key: wrong}, documents.Reach) != []
    del answer["verdict"]
    assert mismatches(answer, documents.Reach) == [".verdict is missing"]
