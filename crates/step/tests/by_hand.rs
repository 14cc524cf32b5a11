//! A program run by hand, through the pipe and on the screen.

use expect_test::{Expect, expect};
use frontend::{Language, Settings};
use program::{Program, Sources};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use semantics::{Machine, Model, Step};
use step::{Finder, Found, Interpreter, Screen, Session, pipe};

const SB: &str = "\
program sb
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; fence; r = x }
";

/// Somebody who knows one run.
struct Knows(Vec<Step>);

impl Finder for Knows {
    fn witness(&mut self) -> Result<Found, String> {
        Ok(Found { steps: self.0.clone(), shows: "a run that SC does not have".to_owned() })
    }

    fn error(&mut self) -> Result<Found, String> {
        Err("there is none: no error can be reached".to_owned())
    }

    fn load(&mut self, file: &str) -> Result<Found, String> {
        Err(format!("cannot read {file}"))
    }
}

fn parse(text: &str) -> (Program, Sources) {
    let mut sources = Sources::new();
    let source = sources.add("sb.fw", text);
    let program = frontend::load(&sources, source, Language::Fw, &Settings::default()).unwrap();
    (program, sources)
}

/// The steps of a run in which everybody reads before anything reaches memory.
fn witness(machine: &Machine<'_>) -> Vec<Step> {
    let mut state = machine.initial();
    let mut steps = Vec::new();
    // p issues and reads; q issues, drains and reads; then p drains.
    for thread in [0, 0, 1, 1, 1, 1, 0] {
        let moves: Vec<_> = machine
            .moves(&state)
            .filter(|taken| program::index::Idx::index(taken.thread()) == thread)
            .collect();
        let taken = *moves.last().unwrap();
        let (next, actions) = machine.apply(&state, taken).unwrap();
        steps.push(Step { taken, actions });
        state = next;
    }
    steps
}

fn check_pipe(text: &str, model: Model, commands: &str, all_obeyed: bool, expected: &Expect) {
    let (program, sources) = parse(text);
    let machine = Machine::new(&program, model).unwrap();
    let session = Session::new(&program, &sources, &machine, 1);
    let known = if text == SB && model == Model::Tso { witness(&machine) } else { Vec::new() };
    let mut answers = Vec::new();
    let mut interpreter = Interpreter::new(session, Knows(known));
    let obeyed = pipe(&mut interpreter, commands.as_bytes(), &mut answers).unwrap();
    expected.assert_eq(&String::from_utf8(answers).unwrap());
    assert_eq!(obeyed, all_obeyed);
}

#[test]
fn threads_and_flushes_are_chosen_and_taken_back() {
    let commands = "p\np\nq\nq\nflush q\nstate\nundo 2\nrun\nredo\nquit\nnever read\n";
    check_pipe(
        SB,
        Model::Tso,
        commands,
        false,
        &expect![[r#"
                1  p, line 3: x = 1 — x = 1 waits
                2  q, line 4: y = 1 — y = 1 waits
            > p
              p, line 3: x = 1 — x = 1 waits
                1  flush p: x = 1 reaches memory
                2  p, line 3: r = y — reads 0
                3  q, line 4: y = 1 — y = 1 waits
            > p
              p, line 3: r = y — reads 0
                1  flush p: x = 1 reaches memory
                2  q, line 4: y = 1 — y = 1 waits
            > q
              q, line 4: y = 1 — y = 1 waits
                1  flush p: x = 1 reaches memory
                2  flush q: y = 1 reaches memory
            > q
              error: q waits at `fence` until its store buffer is empty; `flush q` empties it
            > flush q
              q: y = 1 reaches memory
                1  flush p: x = 1 reaches memory
                2  q, line 4: fence
            > state
              p       has ended
                      r = 0
                      waiting: x = 1
              q       next: fence
                      r = 0
              memory  x = 0, y = 1
            > undo 2
              p, line 3: r = y — reads 0
                1  flush p: x = 1 reaches memory
                2  q, line 4: y = 1 — y = 1 waits
            > run
                1  p, line 3: x = 1 — x = 1 waits
                2  p, line 3: r = y — reads 0
            > redo
              q, line 4: y = 1 — y = 1 waits
                1  flush p: x = 1 reaches memory
                2  flush q: y = 1 reaches memory
            > quit
        "#]],
    );
}

#[test]
fn a_witness_is_gone_through() {
    check_pipe(
        SB,
        Model::Tso,
        "witness\nredo\nredo 9\nstate\nreset\nredo 2\n",
        true,
        &expect![[r#"
                1  p, line 3: x = 1 — x = 1 waits
                2  q, line 4: y = 1 — y = 1 waits
            > witness
              a run that SC does not have
              loaded, 7 steps: `redo` goes through them
            > redo
              p, line 3: x = 1 — x = 1 waits
                1  flush p: x = 1 reaches memory
                2  p, line 3: r = y — reads 0
                3  q, line 4: y = 1 — y = 1 waits
            > redo 9
              p: x = 1 reaches memory
              every thread has ended
            > state
              p       has ended
                      r = 0
              q       has ended
                      r = 0
              memory  x = 1, y = 1
            > reset
              at the beginning
                1  p, line 3: x = 1 — x = 1 waits
                2  q, line 4: y = 1 — y = 1 waits
            > redo 2
              p, line 3: r = y — reads 0
                1  flush p: x = 1 reaches memory
                2  q, line 4: y = 1 — y = 1 waits
        "#]],
    );
}

#[test]
fn under_sc_stores_reach_memory_at_once() {
    check_pipe(
        SB,
        Model::Sc,
        "p\nflush p\nx\nerror\nload no.json\n",
        false,
        &expect![[r#"
                1  p, line 3: x = 1 — x = 1
                2  q, line 4: y = 1 — y = 1
            > p
              p, line 3: x = 1 — x = 1
                1  p, line 3: r = y — reads 0
                2  q, line 4: y = 1 — y = 1
            > flush p
              error: the store buffer of p is empty
            > x
              error: `x` is neither a command nor a thread; the threads are p, q; `help` lists the commands
            > error
              error: there is none: no error can be reached
            > load no.json
              error: cannot read no.json
        "#]],
    );
}

#[test]
fn values_are_chosen() {
    let text = "shared x\nthread p { local r; r = choose(0..100); x = r; assert x < 50 }\n";
    check_pipe(
        text,
        Model::Tso,
        "1\n1 = 100\n1 = 77\np\np\nstate\n2\n",
        false,
        &expect![[r#"
            1  p, line 2: r = choose(0..=99) — any value from 0 to 99
        > 1
          error: choose a value from 0 to 99, such as `1 = 0`
        > 1 = 100
          error: that is not possible now: the instruction leaves no such choice open
        > 1 = 77
          p, line 2: r = choose(0..=99) — is 77
            1  p, line 2: x = r — x = 77 waits
        > p
          p, line 2: x = r — x = 77 waits
            1  flush p: x = 77 reaches memory
            2  p, line 2: t1 = x — reads 77 (from its buffer)
        > p
          p, line 2: t1 = x — reads 77 (from its buffer)
            1  flush p: x = 77 reaches memory
            2  p, line 2: assert t1 < 50 — ✗ assertion failed
        > state
          p       next: assert x < 50
                  r = 77
                  waiting: x = 77
          memory  x = 0
        > 2
          p, line 2: assert t1 < 50 — ✗ assertion failed
            1  flush p: x = 77 reaches memory
    "#]],
    );
}

#[test]
fn random_steps_can_be_repeated() {
    let steps = |seed| {
        let (program, sources) = parse(SB);
        let machine = Machine::new(&program, Model::Tso).unwrap();
        let mut session = Session::new(&program, &sources, &machine, seed);
        assert!(session.random(100) < 100, "this program ends");
        assert_eq!(session.end().as_deref(), Some("every thread has ended"));
        session.told()
    };
    assert_eq!(steps(5), steps(5));
    assert!((0..20).any(|seed| steps(seed) != steps(5)));
}

/// What is on a screen of this size after these keys.
fn screen(size: (u16, u16), keys: &[KeyCode]) -> String {
    let (program, sources) = parse(SB);
    let machine = Machine::new(&program, Model::Tso).unwrap();
    let session = Session::new(&program, &sources, &machine, 1);
    let known = witness(&machine);
    let mut screen = Screen::new(Interpreter::new(session, Knows(known)), "sb.fw");
    for key in keys {
        assert!(screen.press(KeyEvent::from(*key)));
    }
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn the_screen_shows_threads_memory_and_what_can_be_done() {
    let keys = [KeyCode::Char('1'), KeyCode::Down, KeyCode::Enter];
    expect![[r#"
        " sb.fw under TSO, step 2                                                                            "
        "┌ p ─────────────────────────────────────────────┐┌ q ─────────────────────────────────────────────┐"
        "│has ended                                       ││next: y = 1                                     │"
        "│r = 0                                           ││r = 0                                           │"
        "│waiting: x = 1                                  ││                                                │"
        "└────────────────────────────────────────────────┘└────────────────────────────────────────────────┘"
        "┌ memory ──────────────────────────────────────────────────────────────────────────────────────────┐"
        "│x = 0   y = 0                                                                                     │"
        "└──────────────────────────────────────────────────────────────────────────────────────────────────┘"
        "┌ what next? ─────────────────────────────────────────┐┌ the run ──────────────────────────────────┐"
        "│  1 flush p: x = 1 reaches memory                    ││  1 p, line 3: x = 1 — x = 1 waits         │"
        "│▸ 2 q, line 4: y = 1 — y = 1 waits                   ││  2 p, line 3: r = y — reads 0             │"
        "│                                                     ││                                           │"
        "│                                                     ││                                           │"
        "│                                                     ││                                           │"
        "└─────────────────────────────────────────────────────┘└───────────────────────────────────────────┘"
        "                                                                                                    "
        " ↑↓ choose  ⏎ do  u undo  r redo  space random  w witness  e error  : command  ? help  q quit       "
    "#]].assert_eq(&screen((100, 18), &keys));
}

#[test]
fn a_narrow_screen_shows_a_witness() {
    let mut keys = vec![KeyCode::Char('w')];
    keys.extend([KeyCode::Right; 4]);
    keys.push(KeyCode::Char('u'));
    expect![[r#"
        " sb.fw under TSO, step 3 of 7                               "
        "┌ p ─────────────────────────┐┌ q ─────────────────────────┐"
        "│has ended                   ││next: fence                 │"
        "│r = 0                       ││r = 0                       │"
        "│waiting: x = 1              ││waiting: y = 1              │"
        "└────────────────────────────┘└────────────────────────────┘"
        "┌ memory ──────────────────────────────────────────────────┐"
        "│x = 0   y = 0                                             │"
        "└──────────────────────────────────────────────────────────┘"
        "┌ what next? ──────────────────────────────────────────────┐"
        "│▸ 1 flush p: x = 1 reaches memory                         │"
        "│  2 flush q: y = 1 reaches memory                         │"
        "│                                                          │"
        "│                                                          │"
        "└──────────────────────────────────────────────────────────┘"
        "┌ the run ─────────────────────────────────────────────────┐"
        "│  2 p, line 3: r = y — reads 0                            │"
        "│  3 q, line 4: y = 1 — y = 1 waits                        │"
        "│  → q: y = 1 reaches memory                               │"
        "└──────────────────────────────────────────────────────────┘"
        "                                                            "
        " ↑↓ ⏎ do  u undo  r redo  w witness  ? help  q quit         "
    "#]]
    .assert_eq(&screen((60, 22), &keys));
}

#[test]
fn commands_are_typed_and_what_is_wrong_is_said() {
    let keys = [KeyCode::Char(':'), KeyCode::Char('z'), KeyCode::Enter];
    let shown = screen((100, 16), &keys);
    assert!(shown.contains("`z` is neither a command nor a thread"), "{shown}");
    let shown = screen((100, 30), &[KeyCode::Char('?')]);
    assert!(shown.contains("make random steps repeatable"), "{shown}");
}

#[test]
fn some_keys_end_it() {
    let (program, sources) = parse(SB);
    let machine = Machine::new(&program, Model::Tso).unwrap();
    let session = Session::new(&program, &sources, &machine, 1);
    let mut screen = Screen::new(Interpreter::new(session, Knows(Vec::new())), "sb.fw");
    assert!(screen.press(KeyEvent::from(KeyCode::Char('x'))));
    assert!(!screen.press(KeyEvent::from(KeyCode::Char('q'))));
}
