"""The documents that answers are, as types: those of Fencewright's JSON output, described in docs/json.md.

Members that are there only where they apply are in the classes with `total=False`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

Criterion = Literal["drf", "trf", "robustness", "persistence", "states"]
Verdict = Literal["holds", "violated", "undecided"]


class Position(TypedDict):
    line: int
    column: int


class _Error(TypedDict):
    message: str


class Error(_Error, total=False):
    file: str
    line: int
    column: int
    end: Position
    label: str
    help: str


class _Errors(TypedDict):
    schema: str
    version: str
    file: str
    errors: List[Error]


class Errors(_Errors, total=False):
    """`fencewright.errors/1`."""

    files: List[str]


class _Note(TypedDict):
    code: str
    text: str


class Note(_Note, total=False):
    file: str
    line: int
    column: int
    end: Position


class Premises(TypedDict, total=False):
    bounds: Dict[str, int]
    assumed: List[str]
    unknown: List[str]


class _Answer(TypedDict):
    schema: str
    version: str
    file: str


class _Rests(TypedDict, total=False):
    files: List[str]
    notes: List[Note]
    premises: Premises


class Statistics(TypedDict):
    states: int
    transitions: int
    depth: int
    bytes: int
    seconds: float


class _Step(TypedDict):
    thread: str
    action: Literal["local", "issue", "store", "load", "locked", "fence", "lock", "unlock", "fault"]


class Step(_Step, total=False):
    instruction: str
    file: str
    line: int
    column: int
    end: Position
    address: str
    value: int
    read: int
    written: int
    fault: str


class _Run(TypedDict):
    ending: Literal["terminated", "deadlock", "fault", "limit", "step_limit", "goal", "history"]
    steps: List[Step]
    memory: Dict[str, int]


class _Called(TypedDict):
    thread: str
    step: int


class Called(_Called, total=False):
    """A call, with its arguments, or a return, with its results."""

    call: str
    arguments: List[int]
    results: List[int]


class Run(_Run, total=False):
    reason: str
    history: List[Called]
    asked: Dict[str, int]
    condition: bool


class _Comment(TypedDict):
    reason: str


class Comment(_Comment, total=False):
    """A comment in the source that accepts findings."""

    file: str
    line: int
    column: int
    end: Position


class _Suppressed(TypedDict):
    kind: str
    by: List[Comment]
    others: Literal["none", "some", "not_looked_for", "unknown"]


class Suppressed(_Suppressed, total=False):
    """What comments in the source accept."""

    remaining: List[List[Dict[str, Any]]]


class Instance(TypedDict):
    counts: Dict[str, int]
    smallest: bool


class _Known(TypedDict, total=False):
    """Where something holds, how that is known; where it is undecided, why in a word, and where."""

    known_by: Dict[str, Any]
    cause: str
    line: int
    column: int
    end: Position


class _Result(_Known):
    criterion: Criterion
    model: Literal["sc", "tso"]
    verdict: Verdict
    reason: Optional[str]
    advice: Optional[str]
    implied_by: Optional[str]
    methods: List[str]
    witness: Optional[Dict[str, Any]]
    statistics: Statistics


class Result(_Result, total=False):
    instance: Instance
    suppressed: Suppressed


class _Matter(_Known):
    matter: Literal["races", "errors", "final_states", "robustness"]
    model: Literal["sc", "tso"]
    verdict: Verdict
    weight: Literal["harm", "unknown", "harmless", "fine"]


class Matter(_Matter, total=False):
    reason: Optional[str]
    meaning: Optional[str]
    suppressed: Suppressed
    found: Optional[Literal["fault", "deadlock"]]
    witness: Optional[Dict[str, Any]]
    statistics: Statistics


class _Check(_Answer, _Rests):
    engine: str
    results: List[Result]


class Check(_Check, total=False):
    """`fencewright.check/2`."""

    triage: List[Matter]
    attacks: Dict[str, Any]
    static_delays: List[Dict[str, Any]]


class _Reach(_Answer, _Rests, _Known):
    model: Literal["sc", "tso"]
    engine: str
    verdict: Verdict
    reason: Optional[str]
    advice: Optional[str]
    found: Optional[Literal["fault", "deadlock", "goal", "final_state"]]
    witness: Optional[Run]
    statistics: Statistics


class Reach(_Reach, total=False):
    """`fencewright.reach/1`."""

    instance: Instance
    suppressed: Suppressed


class Edit(TypedDict):
    """Bytes of an unchanged file that are replaced."""

    file: str
    offset: int
    length: int
    text: str


class _Place(TypedDict):
    file: Optional[str]
    side: Optional[Literal["before", "after"]]
    thread: str
    kind: str
    instances: int
    cost: int
    text: str


class Place(_Place, total=False):
    """Where something can be, is or is to be changed."""

    line: int
    column: int
    end: Position
    why: str


class Needed(TypedDict):
    why: str
    one_of: List[Place]


class _Fence(_Answer, _Rests, _Known):
    criterion: str
    model: Literal["tso"]
    algorithm: Literal["optimal", "esop13", "esop15"]
    verdict: Literal["holds", "repaired", "unrepairable", "undecided"]
    reason: Optional[str]
    cost: Optional[int]
    at_least: int
    optimal: bool
    fences: List[Place]
    rounds: int
    searches: int
    statistics: Statistics


class Fence(_Fence, total=False):
    """`fencewright.fence/1`."""

    advice: Optional[str]
    removable: List[Place]
    alternatives: List[List[Place]]
    needed: List[Needed]
    written: Optional[str]
    edits: List[Edit]
    queries: Dict[str, int]


class _Outcomes(_Answer, _Rests, _Known):
    model: str
    verdict: Literal["complete", "undecided", "undefined"]
    reason: Optional[str]
    states: List[Dict[str, Any]]
    only_weak: List[Optional[bool]]
    errors: List[Dict[str, Any]]
    condition: Optional[Dict[str, Any]]
    executions: Optional[int]
    statistics: Statistics


class Outcomes(_Outcomes, total=False):
    """`fencewright.outcomes/1`."""

    advice: Optional[str]
    reference: str
    flags: List[Dict[str, Any]]
    same_as_sc: Optional[str]
    show: Dict[str, Any]


class Simulation(_Answer, total=False):
    """`fencewright.simulate/1`; `verdict` and `reason` alone where a program has no single run."""

    model: Literal["sc", "tso"]
    seed: int
    ending: str
    reason: str
    steps: List[Step]
    memory: Dict[str, int]
    asked: Dict[str, int]
    condition: bool
    verdict: Literal["undecided"]


class _Cycles(_Answer, _Rests):
    criterion: Literal["robustness"]
    arch: str
    method: Literal["static"]
    verdict: Literal["holds", "violated", "repaired", "undecided"]


class Cycles(_Cycles, total=False):
    """`fencewright.cycles/1`."""

    reference: Literal["tso"]
    reason: Optional[str]
    lines: int
    events: int
    threads: int
    exact: bool
    delays: int
    shown: List[Dict[str, Any]]
    full_fence_in_one_of: List[Any]
    repair: Dict[str, Any]
    policies: List[Dict[str, Any]]
    enumerated: Dict[str, Any]
    proven: int
    seq_cst_everywhere: Dict[str, int]
    written: Optional[str]
    edits: List[Edit]
    suppressed: Suppressed
    seconds: float
