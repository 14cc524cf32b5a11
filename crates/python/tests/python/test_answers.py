"""Answers about programs whose answers are known."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

import fencewright as fw

SB = fw.Text("shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n", name="sb.fw")
MP = fw.Text("shared x, y\nthread p { x = 1; y = 1 }\nthread q { local r, s; r = y; s = x }\n", name="mp.fw")

ENDLESS = """const N = 40
shared x
thread p[4] {
  local i, r
  while i < N { i = i + 1; x = i; r = x }
}
"""


@pytest.mark.parametrize(
    "program, criterion, verdict",
    [
        (SB, "robustness", "violated"),
        (SB, "states", "violated"),
        (SB, "drf", "violated"),
        (MP, "robustness", "holds"),
        (MP, "persistence", "holds"),
        ("corpus/mutex/peterson.fw", "robustness", "violated"),
        (Path("corpus/mutex/peterson-fenced.fw"), "robustness", "holds"),
    ],
)
def test_check(program: fw.Program, criterion: fw.documents.Criterion, verdict: str) -> None:
    answer = fw.check(program, criteria=[criterion])
    (result,) = answer["results"]
    assert (result["criterion"], result["verdict"]) == (criterion, verdict)
    assert (result["witness"] is not None) == (verdict == "violated")


def test_exact_and_auto_agree() -> None:
    for program in (SB, MP):
        both = [fw.check(program, method=method)["results"][0]["verdict"] for method in ("auto", "exact")]
        assert both[0] == both[1]


def test_attacks_and_delays_are_told() -> None:
    answer = fw.check(SB, per_attack=True, delays=True)
    assert len(answer["attacks"]["feasible"]) == 2
    assert [delay["judgement"] for delay in answer["static_delays"]] == ["confirmed"] * 2


def test_fences_repair() -> None:
    answer = fw.fence(SB)
    assert (answer["verdict"], answer["cost"], answer["optimal"]) == ("repaired", 2, True)
    assert {(place["line"], place["thread"]) for place in answer["fences"]} == {(2, "p"), (3, "q")}
    again = fw.repaired(SB, answer)
    assert again.content.count("fence") == 2
    assert fw.check(again)["results"][0]["verdict"] == "holds"
    assert fw.fence(again)["verdict"] == "holds"
    needed = fw.fence(again, minimise_existing=True)
    assert len(needed["fences"]) == 2 and needed["removable"] == []


def test_edits_count_bytes() -> None:
    named = fw.Text("// größer\n" + SB.content)
    again = fw.repaired(named, fw.fence(named))
    assert again.content.startswith("// größer\n")
    assert fw.check(again)["results"][0]["verdict"] == "holds"


@pytest.mark.parametrize(
    "options, cost",
    [
        ({"algorithm": "esop13"}, 2),
        ({"algorithm": "esop15", "criterion": "persistence"}, 2),
        ({"positions": "label", "every": True}, 2),
        ({"criterion": "safety"}, None),
        ({"cost": "loops"}, 2),
        ({"locked_store_cost": 1}, 2),
    ],
)
def test_fence_options(options: dict[str, object], cost: int | None) -> None:
    answer = fw.fence(SB, **options)  # type: ignore[arg-type]
    if cost is None:
        # Without an assertion nothing goes wrong.
        assert answer["verdict"] == "holds"
    else:
        assert (answer["verdict"], answer["cost"]) == ("repaired", cost)


def test_reach() -> None:
    goal = "p.r == 0 && q.r == 0 && p@end && q@end"
    text = SB.content.replace("r = y }", "r = y; end: skip }").replace("r = x }", "r = x; end: skip }")
    program = fw.Text(text)
    assert fw.reach(program, goal=goal)["verdict"] == "holds"
    under_tso = fw.reach(program, goal=goal, model="tso")
    assert (under_tso["verdict"], under_tso["found"]) == ("violated", "goal")
    assert under_tso["witness"] is not None and under_tso["witness"]["ending"] == "goal"
    assert fw.reach(program)["verdict"] == "holds"


def test_outcomes() -> None:
    weak = {model: any(fw.outcomes(MP, model=model)["only_weak"]) for model in ("sc", "tso", "power", "aarch64")}
    assert weak == {"sc": False, "tso": False, "power": True, "aarch64": True}
    answer = fw.outcomes(SB, show="p.r == 0 && q.r == 0")
    assert answer["show"]["witness"] is not None
    assert len(answer["states"]) == 4


def test_simulation_is_repeatable() -> None:
    one, other = (fw.simulate(SB, seed=7) for _ in range(2))
    assert one == other
    assert (one["seed"], one["ending"]) == (7, "terminated")


@pytest.mark.parametrize("arch, cost", [("x86", None), ("power", 2), ("aarch64", 2), ("riscv", 2)])
def test_cycles(arch: str, cost: int | None) -> None:
    answer = fw.cycles(MP, arch=arch, repair=True)
    if cost is None:
        assert answer["verdict"] == "holds" and answer["delays"] == 0
    else:
        assert answer["verdict"] == "repaired"
        assert len(answer["repair"]["fences"]) == cost
        assert fw.cycles(fw.repaired(MP, answer), arch=arch)["verdict"] == "holds"


def test_c_files() -> None:
    program = fw.Files(["corpus/c/dekker.c"])
    assert fw.check(program, criteria=["robustness"])["results"][0]["verdict"] == "violated"
    assert fw.cycles(program)["delays"] > 0
    assert [matter["matter"] for matter in fw.check(program)["triage"]]


def test_constants_and_counts() -> None:
    text = "const N = 1\nshared x\nthread p { local r; r = N; assert r < 3 }\n"
    assert fw.reach(fw.Text(text))["verdict"] == "holds"
    assert fw.reach(fw.Text(text, constants={"N": 3}))["verdict"] == "violated"
    any_number = SB.content.replace("thread p", "thread p[*]")
    answer = fw.check(fw.Text(any_number))
    assert answer["results"][0]["instance"]["counts"]["p"] >= 1
    assert fw.simulate(fw.Text(any_number))["verdict"] == "undecided"
    assert fw.simulate(fw.Text(any_number, counts={"p": 1}))["ending"] == "terminated"


def test_limits_make_an_answer_undecided() -> None:
    answer = fw.reach(fw.Text(ENDLESS), limits=fw.Limits(states=100, threads=1))
    assert (answer["verdict"], answer["cause"]) == ("undecided", "states")


def test_an_interrupt_ends_a_search() -> None:
    busy = "while i < 200 { i = i + 1; x = i; r = y; y = i + r % 7; r = z; z = i }"
    text = "shared x, y, z\n" + "".join(f"thread p{n} {{ local r, i; {busy} }}\n" for n in range(4))
    # Interrupts are ignored in what a shell runs in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        fw.reach(fw.Text(text), limits=fw.Limits(seconds=60, threads=1))


def test_several_threads_ask_at_once() -> None:
    verdicts: list[str] = []

    def ask() -> None:
        verdicts.append(fw.check(SB)["results"][0]["verdict"])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == ["violated"] * 4


def test_errors_have_positions() -> None:
    with pytest.raises(fw.Refused, match="wrong.fw:2:16: unknown name `z`") as caught:
        fw.check(fw.Text("shared x\nthread p { x = z }\n", name="wrong.fw"))
    assert caught.value.document["errors"][0]["line"] == 2
    with pytest.raises(fw.Refused, match="cannot read"):
        fw.check("no/such/file.fw")
    with pytest.raises(fw.Refused, match="2 programs"):
        fw.check(fw.Files(["corpus/mutex/peterson.fw", "corpus/mutex/dekker.fw"]))


@pytest.mark.parametrize(
    "ask, problem",
    [
        (lambda: fw.check(SB, criteria=["robust"]), "there is no criterion \"robust\": there are drf"),  # type: ignore[list-item]
        (lambda: fw.check(SB, abstraction=1), "persistence"),
        (lambda: fw.check(SB, criteria=["drf"], per_attack=True), "about robustness"),
        (lambda: fw.fence(SB, criterion="drf"), "data races"),
        (lambda: fw.fence(SB, criterion="states", algorithm="esop13"), "ESOP'13"),
        (lambda: fw.fence(SB, algorithm="esop15", every=True), "optimal"),
        (lambda: fw.outcomes(SB, model="vax"), "there is no model \"vax\""),
        (lambda: fw.cycles(SB, arch="vax"), "there is no architecture"),
        (lambda: fw.cycles(SB, limits=fw.Limits(states=3)), "only time"),
        (lambda: fw.check(SB, limits=fw.Limits(seconds=-1)), "seconds"),
        (lambda: fw.check(fw.Text("", language="basic")), "there is no language"),
        (lambda: fw.check(fw.Text("", constants={"N": 2**70})), "64-bit"),
        (lambda: fw.check(fw.Files(["x.c"], threads=["f*0"])), "1 to 64"),
    ],
)
def test_questions_that_make_no_sense(ask: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ask()  # type: ignore[operator]
