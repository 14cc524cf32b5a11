"""The native half: questions as plain values, documents as text. Use the package's own functions instead."""

from typing import Protocol, Sequence

from . import Files, Limits, Text

__version__: str

class _FenceAsked(Protocol):
    @property
    def criterion(self) -> str: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def positions(self) -> str: ...
    @property
    def cost(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def every(self) -> bool: ...
    @property
    def minimise_existing(self) -> bool: ...
    @property
    def locked_store_cost(self) -> int | None: ...

def check(
    program: Text | Files,
    *,
    criteria: Sequence[str],
    method: str,
    abstraction: int | None,
    per_attack: bool,
    delays: bool,
    limits: Limits,
) -> str: ...
def fence(program: Text | Files, *, asked: _FenceAsked, limits: Limits) -> str: ...
def reach(
    program: Text | Files,
    *,
    goal: str | None,
    faults: bool,
    deadlocks: bool,
    final_states: bool,
    model: str,
    limits: Limits,
) -> str: ...
def outcomes(
    program: Text | Files,
    *,
    model: str | None,
    reference: str,
    show: str | None,
    unroll: int | None,
    limits: Limits,
) -> str: ...
def simulate(program: Text | Files, *, model: str, seed: int, tries: int, max_steps: int) -> str: ...
def cycles_of(
    program: Text | Files,
    *,
    arch: str,
    repair: bool,
    reference: str,
    orders: bool,
    policies: bool,
    shown: int,
    limits: Limits,
) -> str: ...
