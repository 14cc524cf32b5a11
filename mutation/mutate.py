#!/usr/bin/env python3
"""Changes one token of a crate at a time and runs the crate's own tests: what survives is not tested.

    mutation/mutate.py semantics --sample 20          20 mutants, always the same ones
    mutation/mutate.py semantics --sample 20 --seed 2 20 others
    mutation/mutate.py --known                        the mutants that once survived (known.txt)
    mutation/mutate.py --terms                        terms of axioms left out one by one (terms.txt)
    mutation/mutate.py semantics --list               what could be changed

It works on a copy of the last commit (--copy, by default a temporary folder), with a build folder of
its own, and prints one line per mutant as it goes: killed, SURVIVES, does not build, or too slow.
Mutants are drawn from the lines of code of a crate, those of WEIGHTS more often; tests, comments and
texts are left alone. See CONTRIBUTING.md and docs/mutation.md.
"""

import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = ["semantics", "analysis", "automata", "repair", "lowering", "axiomatic"]

# Files in which one wrong token most likely gives a wrong verdict.
WEIGHTS = {
    "semantics": r"step|execute|realisable|happens_before|trace\.rs",
    "analysis": r"/sc/|reach|under_tso|elsewhere|check|overtaking|race|robustness|outcomes/|final_states",
    "automata": r"symmetry|persistent|diamonds|interference|eager|stuck|system",
    "repair": r"decision|change|optimal|passed|checkers",
    "lowering": r"step|thread|flow|cells|memory|targets",
    "axiomatic": r"model/|coherence|access|relation\.rs|candidate",
}

# Each operator: what is looked for, and what it becomes.
OPERATORS = [
    (r" == ", " != "), (r" != ", " == "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ 1\b", " + 0"), (r" - 1\b", " - 0"), (r" \+ ", " - "), (r" - ", " + "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<=[ (])!(?=[a-z(])", ""),
    (r"\.any\(", ".all("), (r"\.all\(", ".any("),
    (r"\.is_some\(\)", ".is_none()"), (r"\.is_none\(\)", ".is_some()"),
    (r"\.is_some_and\(", ".is_none_or("), (r"\.is_none_or\(", ".is_some_and("),
    (r"\.first\(\)", ".last()"), (r"\.last\(\)", ".first()"),
    (r"\.max\(", ".min("), (r"\.min\(", ".max("),
    (r"\.starting_in\(", ".ending_in("), (r"\.ending_in\(", ".starting_in("),
    (r"\bcontinue;", "break;"), (r"\|= ", "= "),
]
OPERATORS = [(re.compile(found), new) for found, new in OPERATORS]


def code_lines(text):
    """The numbers of the lines with code that is no test, comment, attribute or text."""
    end = text.find("#[cfg(test)]\nmod tests {")
    lines = (text if end < 0 else text[:end]).splitlines()
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare and not bare.startswith(("//", "#", "use ", "pub use ", "expect(", "panic!")) \
                and "assert" not in bare and '"' not in bare:
            yield number


def mutants(crate):
    """All mutants of a crate: file, line, column, old, new."""
    for path in sorted((ROOT / "crates" / crate / "src").rglob("*.rs")):
        if path.name in ("tests.rs", "lemma.rs", "sample.rs"):
            continue
        text = path.read_text()
        lines = text.splitlines()
        for number in code_lines(text):
            line = lines[number].split(" // ")[0]
            for found, new in OPERATORS:
                for match in found.finditer(line):
                    yield path.relative_to(ROOT), number, match.start(), match.group(), new


def sample(crate, count, seed):
    everything = list(mutants(crate))
    weighty = re.compile(WEIGHTS[crate])
    chosen = random.Random(f"{crate} {seed}")
    weights = [4 if weighty.search(str(one[0])) else 1 for one in everything]
    drawn = []
    while len(drawn) < min(count, len(everything)):
        one = chosen.choices(everything, weights)[0]
        if one not in drawn:
            drawn.append(one)
    return drawn


def listed(file):
    """The mutants written down in a file: name, file, old and new, with tabs between them."""
    for line in (ROOT / "mutation" / file).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.replace("\\n", "\n").split("\t")


def run(copy, crate, seconds):
    """What the tests of a crate say of what is in the copy."""
    for which in ["--lib"], ["--tests"]:
        command = ["cargo", "test", "-q", "-p", f"fencewright-{crate}", *which]
        # What hangs is a child of cargo: all of them are ended together.
        tests = subprocess.Popen(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True, start_new_session=True)
        try:
            told, _ = tests.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(tests.pid, signal.SIGKILL)
            tests.communicate()
            return "too slow"
        if tests.returncode:
            built = "test result" in told or "running" in told
            failed = re.findall(r"^    ([a-z_0-9:]+)$", told, re.M)
            return f"killed by {failed[-1] if failed else '?'}" if built else "does not build"
    return "SURVIVES"


def attempt(copy, crate, path, change, seconds):
    """Applies a change to a file of the copy, runs the tests and takes it back."""
    before = (copy / path).read_text()
    after = change(before)
    if after == before:
        return "is not there"
    (copy / path).write_text(after)
    try:
        return run(copy, crate, seconds)
    finally:
        (copy / path).write_text(before)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("crates", nargs="*", choices=[*CRATES, []], metavar="CRATE")
    arguments.add_argument("--sample", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=int, default=600, help="how long the tests may take")
    arguments.add_argument("--copy", type=pathlib.Path)
    arguments.add_argument("--known", action="store_true")
    arguments.add_argument("--terms", action="store_true")
    arguments.add_argument("--list", action="store_true")
    asked = arguments.parse_args()
    if asked.list:
        for crate in asked.crates:
            for path, number, _, old, new in mutants(crate):
                print(f"{path}:{number + 1}: {old.strip()} becomes {new.strip() or 'nothing'}")
        return
    copy = asked.copy or pathlib.Path(tempfile.mkdtemp(prefix="mutants-")) / "copy"
    if not copy.exists():
        subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    subprocess.run(["git", "fetch", "-q"], cwd=copy, check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "FETCH_HEAD"], cwd=copy, check=True)
    print("| mutant | result |\n|---|---|", flush=True)
    for file in ["known.txt"] * asked.known + ["terms.txt"] * asked.terms:
        for name, path, old, new in listed(file):
            crate = path.split("/")[1]
            result = attempt(copy, crate, path, lambda text: text.replace(old, new, 1), asked.seconds)
            print(f"| {name} `{path}`: `{old}` becomes `{new}` | {result} |", flush=True)
    for crate in asked.crates:
        for path, number, column, old, new in sample(crate, asked.sample, asked.seed):
            def change(text):
                lines = text.splitlines(keepends=True)
                line = lines[number]
                lines[number] = line[:column] + new + line[column + len(old):]
                return "".join(lines)
            result = attempt(copy, crate, path, change, asked.seconds)
            what = f"`{old.strip()}` becomes `{new.strip() or ' '}`"
            print(f"| `{path}:{number + 1}` {what} | {result} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
