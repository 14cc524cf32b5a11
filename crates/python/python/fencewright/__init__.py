"""Concurrent programs on weak memory: does x86 differ from sequential consistency, and what repairs it?

A program is a path, `Files` (with options for C and Rust) or a `Text` in memory. Each function asks one question
about it and returns a document, a dictionary as in Fencewright's JSON output:

>>> import fencewright as fw
>>> sb = fw.Text("shared x, y\\nthread p { local r; x = 1; r = y }\\nthread q { local r; y = 1; r = x }\\n")
>>> fw.check(sb)["results"][0]["verdict"]
'violated'
>>> repair = fw.fence(sb)
>>> repair["verdict"], repair["cost"]
('repaired', 2)
>>> fw.check(fw.repaired(sb, repair))["results"][0]["verdict"]
'holds'

A program that cannot be read raises `Refused`; a question that makes no sense raises `ValueError`. An answer that
is not known is a document whose verdict is "undecided", with the reason.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _native
from ._native import __version__
from .documents import (
    Check,
    Criterion,
    Cycles,
    Edit,
    Errors,
    Fence,
    Outcomes,
    Reach,
    Simulation,
)

__all__ = [
    "Files",
    "Limits",
    "Program",
    "Refused",
    "Text",
    "__version__",
    "check",
    "cycles",
    "fence",
    "outcomes",
    "reach",
    "repaired",
    "simulate",
]


@dataclass(frozen=True)
class Text:
    """A program in memory, in a language of models: `.fw`, litmus tests, Trencher's and the papers' notations."""

    content: str
    #: What it is called in answers; its ending tells the language if `language` does not.
    name: str = "program.fw"
    #: "fw", "litmus", "trencher", "esop13", "esop15", "rmm" or "remmex".
    language: str | None = None
    #: Other values for constants of the model.
    constants: Mapping[str, int] = field(default_factory=dict)
    #: Definite numbers for threads of any number of copies.
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Files:
    """One program in files: a model, C files that belong together, Rust, a Cargo package, a recorded build."""

    paths: Sequence[str]
    language: str | None = None
    constants: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    #: Of C and Rust: the threads instead of those that `main` creates, such as "push(1)*2" or "pop*any".
    threads: Sequence[str] = ()
    #: Of C and Rust: a function that runs before these threads.
    init: str | None = None
    #: Of C and Rust: flags for the compiler.
    flags: Sequence[str] = ()


#: What can be asked about; a string is a path.
Program = Union[Text, Files, str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Limits:
    """What may be spent on an answer. Where a limit ends a search the answer is undecided."""

    seconds: float | None = None
    bytes: int | None = None
    states: int | None = None
    #: How many threads search; by default as many as there are processors.
    threads: int | None = None


class Refused(Exception):
    """A program that cannot be read, or is outside of what a question can be asked about."""

    #: The errors with their positions, as in the JSON output.
    document: Errors

    def __init__(self, document: Errors) -> None:
        super().__init__("\n".join(_line(document["file"], error) for error in document["errors"]))
        self.document = document


def check(
    program: Program,
    *,
    criteria: Iterable[Criterion] = (),
    method: str = "auto",
    abstraction: int | None = None,
    per_attack: bool = False,
    delays: bool = False,
    limits: Limits = Limits(),
) -> Check:
    """Does TSO differ from SC?

    Without `criteria`, robustness of a model, and of C and Rust what matters to its author. `method` is "auto" or
    "exact"; `abstraction` is for persistence, with other threads exact for so many accesses. `per_attack` and
    `delays` add what became of each attack and of each static delay.
    """
    answer: Check = _document(
        _native.check(
            _given(program),
            criteria=list(criteria),
            method=method,
            abstraction=abstraction,
            per_attack=per_attack,
            delays=delays,
            limits=limits,
        )
    )
    return answer


@dataclass(frozen=True)
class _FenceAsked:
    criterion: str
    algorithm: str
    positions: str
    cost: str
    seed: int
    every: bool
    minimise_existing: bool
    locked_store_cost: int | None


def fence(
    program: Program,
    *,
    criterion: str = "robustness",
    algorithm: str = "optimal",
    positions: str = "after-instruction",
    cost: str = "uniform",
    seed: int = 1,
    every: bool = False,
    minimise_existing: bool = False,
    locked_store_cost: int | None = None,
    limits: Limits = Limits(),
) -> Fence:
    """Which fences repair it, at the least cost?

    `criterion` is a criterion of `check` or "safety"; `algorithm` "optimal", "esop13" or "esop15"; `positions`
    "after-instruction" or "label"; `cost` "uniform", "loops", "profile" (of random runs from `seed`) or a file with
    costs by lines. With `every`, all sets that cost as little. With `minimise_existing`, which fences of the
    program are needed. With `locked_store_cost`, stores can also become exchanges, at that many times the cost of
    a fence.
    """
    asked = _FenceAsked(
        criterion=criterion,
        algorithm=algorithm,
        positions=positions,
        cost=cost,
        seed=seed,
        every=every,
        minimise_existing=minimise_existing,
        locked_store_cost=locked_store_cost,
    )
    answer: Fence = _document(_native.fence(_given(program), asked=asked, limits=limits))
    return answer


def reach(
    program: Program,
    *,
    goal: str | None = None,
    faults: bool | None = None,
    deadlocks: bool | None = None,
    final_states: bool | None = None,
    model: str = "sc",
    limits: Limits = Limits(),
) -> Reach:
    """Can something be reached: a goal, failed assertions, deadlocks, final states that the program rules out?

    Of what is not named, all is looked for if there is no `goal`, and nothing if there is one. `goal` is a condition
    such as "p[0]@critical && x == 1"; `model` is "sc" or "tso".
    """
    usual = goal is None
    answer: Reach = _document(
        _native.reach(
            _given(program),
            goal=goal,
            faults=usual if faults is None else faults,
            deadlocks=usual if deadlocks is None else deadlocks,
            final_states=usual if final_states is None else final_states,
            model=model,
            limits=limits,
        )
    )
    return answer


def outcomes(
    program: Program,
    *,
    model: str | None = None,
    reference: str = "sc",
    show: str | None = None,
    unroll: int | None = None,
    limits: Limits = Limits(),
) -> Outcomes:
    """Which final states does a memory model allow?

    `model` is one that is built in, from "sc" to "imm", or a file that ends in ".cat"; by default that of a litmus
    test's architecture, and TSO otherwise. States are compared with those of the `reference`, "sc" or "tso". `show`
    asks for an execution that ends in a state with this condition, `unroll` says how often loops are followed.
    """
    answer: Outcomes = _document(
        _native.outcomes(
            _given(program),
            model=model,
            reference=reference,
            show=show,
            unroll=unroll,
            limits=limits,
        )
    )
    return answer


def simulate(
    program: Program,
    *,
    model: str = "tso",
    seed: int = 1,
    tries: int = 1,
    max_steps: int = 1000,
) -> Simulation:
    """What does one run look like? The most telling one of `tries` random schedules, from `seed` on."""
    answer: Simulation = _document(
        _native.simulate(_given(program), model=model, seed=seed, tries=tries, max_steps=max_steps)
    )
    return answer


def cycles(
    program: Program,
    *,
    arch: str = "x86",
    repair: bool = False,
    reference: str = "sc",
    orders: bool = False,
    policies: bool = False,
    shown: int = 10,
    limits: Limits = Limits(),
) -> Cycles:
    """Which accesses may be reordered on critical cycles, on any architecture and for programs of any size?

    Nothing is explored, so libraries and whole packages can be asked about. With `repair`, the cheapest fences as
    well, and with `orders` stronger orders beside them; with `policies`, what older policies put in. Of `limits`,
    only `seconds` applies.
    """
    answer: Cycles = _document(
        _native.cycles_of(
            _given(program),
            arch=arch,
            repair=repair,
            reference=reference,
            orders=orders,
            policies=policies,
            shown=shown,
            limits=limits,
        )
    )
    return answer


def repaired(program: Text, answer: Fence | Cycles) -> Text:
    """The program with the changes of an answer of `fence` or `cycles`."""
    edits: Sequence[Edit] = answer.get("edits") or ()
    content = program.content.encode()
    for edit in sorted(edits, key=lambda edit: edit["offset"], reverse=True):
        start, end = edit["offset"], edit["offset"] + edit["length"]
        content = content[:start] + edit["text"].encode() + content[end:]
    return replace(program, content=content.decode())


def _given(program: Program) -> Text | Files:
    if isinstance(program, Text):
        return program
    if isinstance(program, Files):
        return replace(program, paths=[os.fspath(path) for path in program.paths])
    return Files([os.fspath(program)])


def _document(text: str) -> Any:
    document = json.loads(text)
    if document["schema"] == "fencewright.errors/1":
        raise Refused(document)
    return document


def _line(file: str, error: Any) -> str:
    place = [error.get("file", file)]
    if "line" in error:
        place += [str(error["line"]), str(error["column"])]
    advice = f" ({error['help']})" if "help" in error else ""
    return f"{':'.join(place)}: {error['message']}{advice}"
