//! `fencewright explain`: the words of the field and the codes of documents, each in a few sentences.
//!
//! Terms are explained as the papers use them; codes are those of [`crate::undecided`], of findings and of notes.
//! Tests see to it that every code is here.

/// One entry: names that mean the same, and the text.
struct Entry {
    names: &'static [&'static str],
    text: &'static str,
}

/// Words of the field.
const TERMS: &[Entry] = &[
    Entry {
        names: &["sc", "sequential consistency"],
        text: "Sequential consistency: the threads' instructions are interleaved in some order, each thread's own \
               in the order of its text, and every load reads the latest store before it. This is the model that \
               most people have in mind, and that no current processor implements.",
    },
    Entry {
        names: &["tso", "total store order"],
        text: "Total store ordering, the memory model of x86 and SPARC: every store first waits in a buffer of its \
               core and reaches memory later, in order. Meanwhile the core keeps running and may load; it sees its own \
               buffered stores, and no other core does. All that TSO adds to SC is that a load can take effect \
               before an earlier store to another location.",
    },
    Entry {
        names: &["store buffer", "buffer"],
        text: "The queue in which a core's stores wait before they reach memory. A fence, a locked instruction and \
               the end of a locked section wait until it is empty. In Fencewright's analyses it can be of any length.",
    },
    Entry {
        names: &["robustness", "robust", "not-robust"],
        text: "A program is robust if every execution under TSO has the trace of an execution under SC: each thread \
               does the same, each load reads from the same store, and the stores to each location come in the same \
               order (Bouajjani, Derevenetc, Meyer, ESOP'13). Then whatever is true of the program under SC is true \
               on x86. A program that is not robust need not be wrong, but SC no longer explains it. \
               `fencewright check FILE` decides it; `fencewright fence FILE` finds the cheapest repair.",
    },
    Entry {
        names: &["persistence", "persistent", "not-persistent"],
        text: "A program is persistent if every execution under TSO has the program order and the order of all \
               stores of an execution under SC (Abdulla, Atig, Ngo, ESOP'15). Unlike robustness it does not ask \
               which store a load reads from, and it orders stores to different locations too. Neither implies the \
               other; both imply that the reachable states are those of SC.",
    },
    Entry {
        names: &["data race", "drf", "data-race"],
        text: "Two threads are about to access the same location, at least one of them with a store, and at least \
               one of the accesses is not atomic. In C and Rust that is undefined behaviour. A program without data \
               races (DRF) behaves on all these machines as under SC, as far as it uses strong enough atomics.",
    },
    Entry {
        names: &["triangular race", "trf", "triangular-race"],
        text: "A data race in which one side is a load that follows a store of its own thread to another \
               location, with no fence in between (Owens, ECOOP'10). A program without triangular races (TRF) behaves \
               on x86 as under SC.",
    },
    Entry {
        names: &["trace"],
        text: "What is left of an execution when its interleaving in time is forgotten: for each thread its \
               instructions in program order (po), for each load the store it reads from (rf), and for each \
               location the order of its stores (co).",
    },
    Entry {
        names: &["happens-before", "happens before", "cycle"],
        text: "The union of po, rf, co and fr. An execution has the trace of an SC execution exactly if this relation \
               has no cycle (Shasha, Snir). The cycle that `check` shows is the proof that no SC execution reads and \
               writes those values.",
    },
    Entry {
        names: &["po", "program order"],
        text: "Program order: the order in which one thread executes its instructions.",
    },
    Entry {
        names: &["rf", "reads from"],
        text: "Reads-from: leads from a store to each load that reads its value.",
    },
    Entry {
        names: &["co", "coherence order", "store order"],
        text: "Coherence order: the order in which the stores to one location reach memory.",
    },
    Entry {
        names: &["fr", "from-read", "conflict"],
        text: "From-read: leads from a load to every store that overwrites the value it read, so the load came \
               before those stores.",
    },
    Entry {
        names: &["attack"],
        text: "The normal form of a violation of robustness: one thread, the attacker, delays one store past one of \
               its later loads, and the other threads close a happens-before cycle meanwhile, all of them under SC. \
               If a program is not robust it has such an execution (ESOP'13), so it is enough to search for these.",
    },
    Entry {
        names: &["fence", "mfence", "barrier"],
        text: "An instruction that waits until all earlier stores of its thread have reached memory. On x86: MFENCE, \
               any instruction with LOCK, and XCHG; in C and Rust a fence or a store with sequentially consistent \
               order. Other machines have weaker and cheaper kinds as well.",
    },
    Entry {
        names: &["locked", "atomic exchange", "xchg"],
        text: "An x86 instruction with LOCK, or XCHG: it waits until its thread's store buffer is empty and reads and \
               writes memory in one step. It is a fence, too.",
    },
    Entry {
        names: &["critical cycle", "critical-cycle", "delay"],
        text: "A cycle of program order and conflicting accesses with at most two accesses per thread and three per \
               location (Shasha, Snir; Alglave and others, CAV'14). If an architecture keeps the program order of \
               every such cycle, the program is robust there. A pair that it may reorder is a delay. `--method \
               static` looks for them without exploring states; what it finds may be impossible.",
    },
    Entry {
        names: &["litmus test", "litmus"],
        text: "A very small concurrent program with a question about its final state, in the format of herd: \
               `exists` (can it end like this?), `~exists` or `forall`.",
    },
    Entry {
        names: &["candidate execution", "axiom"],
        text: "Events with a choice of reads-from and coherence order, whether or not a machine allows it. A model by \
               axioms, such as that of Power or Arm, says which candidates are allowed: those in which certain \
               relations have no cycle. `fencewright outcomes FILE --show STATE` shows one, or names the axiom that \
               forbids the state.",
    },
    Entry {
        names: &["holds", "violated", "undecided", "verdict"],
        text: "holds: proved for every schedule and every buffer size (exit code 0). violated: there is an \
               execution, which was replayed by independent code and is shown (1). undecided: neither is known, and \
               the reason is given (3).",
    },
    Entry {
        names: &["replayer", "replay"],
        text: "The part of Fencewright that accepts a claimed execution only if every step of it is possible. It \
               shares no code with the searches, so that a bug in a search cannot become a wrong violation.",
    },
    Entry {
        names: &["instance", "copies", "any number of threads"],
        text: "A thread declared as `thread p[*]`, or `--thread 'f*any'`, stands for any number of copies. An instance \
               of the program has a definite number, which `--count p=3` sets. Without it, an answer is about all \
               instances.",
    },
    Entry {
        names: &["recording"],
        text: "What `fencewright cc` writes while a project is built with it: which files were compiled, with which \
               flags, into which programs. The other commands read it like a program.",
    },
];

/// Codes of reasons in documents, and names of findings that are no terms.
const CODES: &[Entry] = &[
    Entry {
        names: &["weak-order"],
        text: "An atomic access whose order is too weak on the machine that was asked about: `fencewright fence --method \
               static` makes it stronger where that is cheaper than a fence.",
    },
    Entry {
        names: &["more-than-needed"],
        text: "A fence that can go, or an order that can be weaker, without a change in behaviour on the machines that \
               were asked about (`fence --minimise-existing`). Nothing is wrong.",
    },
    Entry {
        names: &["memory"],
        text: "The search needed more memory than `--max-memory` allows, or than the machine has left.",
    },
    Entry {
        names: &["time"],
        text: "The time given by `--timeout` was up before there was an answer.",
    },
    Entry { names: &["states"], text: "More states were reached than `--max-states` allows." },
    Entry {
        names: &["cancelled"],
        text: "The search was cancelled: by Ctrl-C, or by the next edit in an editor.",
    },
    Entry {
        names: &["overflow"],
        text: "A value became too large for 64 bits, in a variable without a declared range. Declare a range, \
               `shared x: 0..=9`, or a type that wraps, `shared x: u8`.",
    },
    Entry {
        names: &["bound"],
        text: "An execution goes further than a bound: on recursion, allocation or threads in a translation of C or \
               Rust, or on rounds of a loop where executions are enumerated. Whatever lies beyond could change the \
               answer. The message names the option that raises the bound.",
    },
    Entry {
        names: &["access_across"],
        text: "An access covers several cells of memory, since the same bytes are accessed with different widths, and \
               this analysis knows only whole cells.",
    },
    Entry {
        names: &["too_many_choices"],
        text: "The program chooses from too many values to list them. Choose from a smaller range.",
    },
    Entry {
        names: &["too_wide"],
        text: "A state of the program takes more bits than the search can pack. Fewer threads or smaller arrays make states smaller.",
    },
    Entry {
        names: &["buffer_grows"],
        text: "A thread can issue stores in an endless loop without a fence, so the length of its buffer is not bounded, \
               and this question was asked by exploring buffers.",
    },
    Entry {
        names: &["only_under_sc"],
        text: "The result is about SC, and does not carry over to TSO here.",
    },
    Entry {
        names: &["only_abstract"],
        text: "An abstraction of the program has a violation, which the program itself may not have. A greater depth, `--abstract=K`, may decide.",
    },
    Entry {
        names: &["too_many_sets"],
        text: "The algorithm tries sets of fences one by one, and there are too many. `--algorithm optimal` does not.",
    },
    Entry {
        names: &["no_finite_range"],
        text: "The abstraction needs to know which values a variable can have, and they are not bounded.",
    },
    Entry {
        names: &["parameterised"],
        text: "A thread of the program can have any number of copies, and this question needs a definite number. Set it with `--count`.",
    },
    Entry {
        names: &["any_number"],
        text: "This question cannot be answered for any number of copies yet. `--count` asks about one instance.",
    },
    Entry {
        names: &["no_method"],
        text: "None of the methods that were allowed can answer this question.",
    },
    Entry {
        names: &["not_by_engine"],
        text: "The chosen engine cannot answer this. `--engine fencewright` can.",
    },
    Entry {
        names: &["final_states_not_asked"],
        text: "The chosen engine was not asked about final states, so they are not known.",
    },
    Entry {
        names: &["no_run_found"],
        text: "The chosen engine reports a violation, but Fencewright found no run that shows it in the given time and memory.",
    },
    Entry {
        names: &["sequential_runs"],
        text: "Histories are compared with runs in which operations run one after the other, and those have too many \
               states, or never end. Fewer operations help, or a simpler sequential program (`--sequential`).",
    },
    Entry {
        names: &["not_checked_again"],
        text: "A repair was found, but checking the repaired program did not finish.",
    },
    Entry {
        names: &["locked_section"],
        text: "Locked sections have no meaning in models by axioms. `--model tso` and `--model sc` explore them.",
    },
    Entry {
        names: &["too_many_executions"],
        text: "There are too many candidate executions to enumerate. `--model tso` and `--model sc` explore states instead.",
    },
    Entry {
        names: &["model"],
        text: "The `.cat` file uses something that Fencewright does not know.",
    },
    Entry {
        names: &["other-states"],
        text: "The program can end on x86 in a state, or with an error, that it cannot end in under SC.",
    },
    Entry {
        names: &["missing-fence"],
        text: "Without a fence here the program can behave differently on x86 than under SC. The finding contains the edit that repairs it.",
    },
    Entry {
        names: &["error"],
        text: "A failed assertion, an access outside every object, or another error can be reached; the run is part of the result.",
    },
    Entry {
        names: &["final-state"],
        text: "The program can end in a state that its `never` or `always` rules out; the run is part of the result.",
    },
    Entry {
        names: &["goal"],
        text: "The state that `--goal` asks for can be reached; the run is part of the result.",
    },
    Entry {
        names: &["deadlock"],
        text: "A state can be reached in which no thread can take a step and some thread is waiting.",
    },
    Entry {
        names: &["one_thread"],
        text: "A note: the program has one thread. No other thread can observe its stores, so most criteria hold \
               trivially; perhaps a thread was not recognised.",
    },
    Entry {
        names: &["as_written"],
        text: "A note: the answer assumes that the compiler keeps every access as it is written. Compilers may \
               reorder or remove plain and relaxed accesses.",
    },
    Entry {
        names: &["build"],
        text: "A note about how the program was compiled, such as a file that was compiled again because it had \
               changed.",
    },
    Entry { names: &["test"], text: "A note about how the tests to analyse were chosen." },
    Entry {
        names: &["assumed"],
        text: "A note that repeats what `--assume` states about a function without a body; the answer depends on \
               it.",
    },
    Entry {
        names: &["no_body"],
        text: "A note: a function has no body here and nothing is stated about it, so it may return any value. Give \
               the file that defines it, or use `--assume`.",
    },
    Entry {
        names: &["may_fail"],
        text: "A note: memory or a thread may be refused here, and what the program does then is part of the answer. \
               `--assume 'malloc succeeds'` states that the system has enough.",
    },
    Entry {
        names: &["plain_race"],
        text: "A note: two accesses can race and one of them is plain, which is undefined behaviour in C and Rust. \
               Make both accesses atomic.",
    },
    Entry {
        names: &["volatile_race"],
        text: "A note: two accesses can race and one of them is volatile. C11 leaves this undefined, but compilers \
               keep volatile accesses.",
    },
    Entry {
        names: &["races_in_part"],
        text: "A note: data races of plain accesses were searched for only in part, so there may be others. `check \
               --criterion drf` decides.",
    },
    Entry {
        names: &["error_under_sc"],
        text: "A note: a thread can run into an error even under SC and stops there, so what holds may hold for \
               that reason. `reach` shows the run.",
    },
    Entry {
        names: &["about_repair"],
        text: "A note about what the repair guarantees and what it does not.",
    },
    Entry {
        names: &["other_machines"],
        text: "A note about what a fence or an order does on machines other than x86.",
    },
    Entry {
        names: &["in_dependency"],
        text: "A note: the store that must not be delayed is in a dependency, so the fence belongs there.",
    },
    Entry {
        names: &["no_place"],
        text: "A note: no fence can be inserted at this position, with the reason.",
    },
    Entry {
        names: &["undefined-race"],
        text: "Two accesses can race and one of them is plain: undefined behaviour in C and Rust. Make both accesses \
               atomic, or keep them apart by a lock.",
    },
    Entry {
        names: &["history"],
        text: "The program has a history of operations that no sequential order explains; the run is part of the \
               result.",
    },
    Entry {
        names: &["input"],
        text: "The program could not be read; the message says why, and what to do.",
    },
    Entry {
        names: &["suppression", "allow", "suppressed"],
        text: "A comment `// fencewright: allow(not-robust): reason` in C, Rust or `.fw` accepts findings of one kind at \
               its line, or at the next line with code. The verdict stays what it is and is marked as suppressed; if \
               every violation of that kind is accepted, the exit code is 0. `fencewright explain docs/reports.md` \
               lists the kinds. As a note: a comment of this form names no kind of finding, and so accepts nothing.",
    },
];

/// What a term or a code means; of an unknown one, those that are meant perhaps.
pub fn explain(asked: &str, columns: usize) -> Result<String, Vec<&'static str>> {
    let key = asked.trim().to_lowercase();
    let entries = || TERMS.iter().chain(CODES);
    let same =
        |name: &str| name == key || name.replace(['-', '_'], " ") == key.replace(['-', '_'], " ");
    let found: Vec<&Entry> =
        entries().filter(|entry| entry.names.iter().any(|name| same(name))).collect();
    if found.is_empty() {
        let near = |entry: &&Entry| {
            entry
                .names
                .iter()
                .any(|name| name.contains(&key) || (name.len() > 3 && key.contains(name)))
        };
        return Err(entries().filter(near).map(|entry| entry.names[0]).collect());
    }
    let mut text = String::new();
    for entry in found {
        text.push_str(&entry.names.join(", "));
        text.push('\n');
        for line in wrapped(entry.text, columns.clamp(30, 80) - 2) {
            text.push_str("  ");
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok(text)
}

/// All names, terms first.
pub fn names() -> (Vec<&'static str>, Vec<&'static str>) {
    let first = |entries: &'static [Entry]| entries.iter().map(|entry| entry.names[0]).collect();
    (first(TERMS), first(CODES))
}

/// A text in lines of so many columns.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a first line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_codes_are_explained_whatever_their_spelling() {
        for asked in ["Robustness", "data race", "data-race", "TSO", "buffer_grows", "buffer grows"]
        {
            assert!(explain(asked, 80).is_ok(), "{asked}");
        }
        assert_eq!(explain("triangular", 80), Err(vec!["triangular race"]));
        assert_eq!(explain("nonsense", 80), Err(Vec::new()));
    }

    #[test]
    fn notes_are_explained_and_documented() {
        let documented = include_str!("../../../docs/json.md");
        for name in workspace::NoteCode::ALL.map(workspace::NoteCode::name) {
            assert!(explain(name, 80).is_ok(), "{name}");
            assert!(documented.contains(&format!("| `{name}` |")), "{name} is not in docs/json.md");
        }
    }

    #[test]
    fn findings_are_explained_and_documented() {
        let documented = include_str!("../../../docs/reports.md");
        for name in workspace::Rule::ALL.map(workspace::Rule::id) {
            assert!(explain(name, 80).is_ok(), "{name}");
            assert!(documented.contains(&format!("`{name}`")), "{name} is not in docs/reports.md");
        }
    }

    #[test]
    fn no_name_is_explained_twice_and_lines_fit() {
        let mut names: Vec<&str> =
            TERMS.iter().chain(CODES).flat_map(|entry| entry.names.iter().copied()).collect();
        for name in &names {
            let text = explain(name, 80).unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
