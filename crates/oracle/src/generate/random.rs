//! Random small programs, the same for the same seed.
//!
//! A program has a few threads, which share one to three scalars and sometimes an array; each
//! thread has a scalar that nobody else uses. Threads load, store, update, fence, compute, branch,
//! block on conditions and assert. A [`Shape`] says what else there is: loops and jumps, declared
//! ranges and widths, waiting, locked sections, exclusive accesses, a question about the final
//! states. Without loops, and with [`Loops::Counted`], every computation ends, so traces can be
//! enumerated; with [`Loops::Free`] every register and every scalar has a declared range or width,
//! so there are finitely many states under SC, and under TSO unless a buffer can grow for ever.
//!
//! Most programs made of random statements are harmless. So in every other program the threads also
//! go round in a circle, as in most litmus tests: each accesses a scalar and then the scalar that
//! the next thread accesses first, mostly storing and then loading, with random statements in
//! between. If threads may wait, what they saw on their way round decides whether they open a gate or
//! wait until it is open, or whether they are counted: so a deadlock or a fault may need that all of
//! them saw the old values.

use fastrand::Rng;
use program::{
    Count, Domain, Identity, Initial, IntType, Location, Outside, Program, ProgramBuilder,
    TemplateId, index::Idx,
};

use crate::generate::random_question::random_question;
use crate::generate::random_thread::{Body, Object};

/// Which loops a random program may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// None.
    None,
    /// Loops that end after a round or two, since a counter says so, and jumps forwards.
    Counted,
    /// Any: jumps back to wherever a thread has been.
    Free,
}

/// What random programs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Shape {
    /// The greatest number of threads; at least two.
    pub max_threads: usize,
    /// About the greatest number of accesses of a run, in all threads together; with
    /// [`Loops::Free`], of its text.
    pub max_accesses: usize,
    /// The greatest number of shared scalars, from one to four.
    pub max_scalars: usize,
    /// Whether there may be locked sections.
    pub sections: bool,
    /// Whether there may be exclusive accesses.
    pub exclusives: bool,
    /// Which loops there may be.
    pub loops: Loops,
    /// Whether many registers and scalars have a declared range or width, and accesses all orders,
    /// updates all operations.
    pub typed: bool,
    /// Whether threads may wait in an `await`.
    pub waiting: bool,
    /// Whether programs ask about their final states.
    pub questions: bool,
    /// Whether every other statement is one that can keep a thread, or others, from going on: a locked
    /// section, an assumption or a blocking update.
    pub blocking: bool,
}

impl Shape {
    /// No loops and none of the rest but locked sections and exclusive accesses.
    pub const LOOP_FREE: Self = Self {
        max_threads: 4,
        max_accesses: 8,
        max_scalars: 3,
        sections: true,
        exclusives: true,
        loops: Loops::None,
        typed: false,
        waiting: false,
        questions: false,
        blocking: false,
    };

    /// Threads that keep each other out of memory, for good if the one with the lock cannot go on.
    pub const KEPT_OUT: Self = Self { max_threads: 3, blocking: true, ..Self::LOOP_FREE };

    /// Everything, with loops that end: traces can be enumerated.
    pub const COUNTED: Self = Self {
        max_threads: 3,
        max_accesses: 6,
        max_scalars: 2,
        loops: Loops::Counted,
        typed: true,
        waiting: true,
        questions: true,
        ..Self::LOOP_FREE
    };

    /// Everything, with any loops: states can be enumerated.
    pub const LOOPING: Self = Self { loops: Loops::Free, max_scalars: 3, ..Self::COUNTED };
}

impl Default for Shape {
    fn default() -> Self {
        Self::LOOP_FREE
    }
}

/// What threads that have gone round in a circle do with what they read.
#[derive(Clone, Copy)]
enum Gate {
    /// Who read something new opens a gate, and who did not waits for that.
    Wait,
    /// Who read something old is counted, and not all may be.
    Count,
}

/// Endlessly many random programs.
pub fn random_programs(seed: u64, shape: Shape) -> impl Iterator<Item = Program> {
    let mut rng = Rng::with_seed(seed);
    std::iter::repeat_with(move || random_program(&mut rng, shape))
}

/// A random program.
pub fn random_program(rng: &mut Rng, shape: Shape) -> Program {
    let mut builder = ProgramBuilder::new("random", Outside::Fault);
    let mut base = 0;
    let mut declare = |name: String, rng: &mut Rng| {
        let domain = if shape.typed {
            random_domain(rng, shape)
        } else {
            match rng.u32(..50) {
                0 => Domain::Range { low: 0, high: 1 },
                1 => Domain::Wrapping(IntType::new(1, false).expect("one bit")),
                _ => Domain::Integer,
            }
        };
        let length = (rng.u32(..15) == 0).then_some(2);
        let starts_with_one = shape.typed && domain.contains(1) && rng.u32(..8) == 0;
        let initial = Initial::Uniform(starts_with_one.into());
        base += 10;
        let location = Location { domain, length, initial, ..Location::scalar(name, base) };
        let elements = if length.is_some() { 2 } else { 1 };
        (builder.location(location), elements)
    };
    // One scalar is less interesting.
    let scalars = rng.usize(1..=shape.max_scalars).max(rng.usize(1..=shape.max_scalars));
    let shared: Vec<Object> = ["x", "y", "z", "w"]
        .iter()
        .take(scalars)
        .map(|name| declare((*name).to_owned(), rng))
        .collect();
    // Fewer threads more often.
    let threads = 2 + rng.usize(..shape.max_threads - 1).min(rng.usize(..shape.max_threads - 1));
    let privates: Vec<Object> =
        (0..threads).map(|number| declare(format!("p{number}"), rng)).collect();
    let accesses = rng.usize(threads.min(shape.max_accesses)..=shape.max_accesses);
    let circle = 2 * threads <= shape.max_accesses && rng.bool();
    let accesses = if circle { accesses.max(2 * threads) } else { accesses };
    let gate = (circle && shape.waiting && rng.bool())
        .then(|| (declare("g".to_owned(), rng), [Gate::Wait, Gate::Count][rng.usize(..2)]));
    let mut read_last = Vec::new();
    let mut written = 0;
    for (number, own) in privates.into_iter().enumerate() {
        // Two copies of one template count twice.
        let one_in = if shape.typed { 4 } else { 10 };
        let copies = if written + 1 < threads && rng.u32(..one_in) == 0 { 2 } else { 1 };
        if written >= threads {
            break;
        }
        written += copies;
        let mut body = Body::new(rng, shape, format!("P{number}"), &shared, own);
        body.simple = body.rng.bool();
        if copies == 2 {
            body.template.count(Count::Exactly(2));
            if !shape.typed || body.rng.bool() {
                let register = body.template.integer_register("me");
                body.template.identity(Identity { register, first: 0 });
                body.readable.push(register);
            }
        }
        let share = accesses / threads + usize::from(number < accesses % threads);
        body.budget = share;
        let start = body.at;
        if circle {
            body.random_or_nothing();
            body.step_of_circle(shared[number % scalars], 4);
            body.random_or_nothing();
            body.step_of_circle(shared[(number + 1) % threads % scalars], 1);
            read_last.extend(body.read_last.map(|register| (TemplateId::new(number), register)));
            match gate {
                Some((gate, Gate::Wait)) => body.open_or_wait(gate),
                Some((gate, Gate::Count)) => body.count_up_to(gate, threads),
                None => {}
            }
        }
        body.statements(8);
        let template = body.finish(start);
        builder.template(template);
    }
    if shape.questions {
        let (memory, templates) = (builder.memory(), builder.templates());
        let question = random_question(rng, &memory, templates, &read_last);
        builder.question(question);
    }
    builder.build().expect("random programs are valid")
}

/// What a register or a scalar of a typed program can hold: not much if a loop could fill it.
pub(crate) fn random_domain(rng: &mut Rng, shape: Shape) -> Domain {
    let wrapping = |bits, signed| Domain::Wrapping(IntType::new(bits, signed).expect("few bits"));
    match rng.u32(..if shape.loops == Loops::Free { 8 } else { 16 }) {
        0 => Domain::Range { low: 0, high: 1 },
        1 | 2 => Domain::Range { low: 0, high: 2 },
        3 => Domain::Range { low: -1, high: 1 },
        4 => wrapping(1, false),
        5 | 6 => wrapping(2, false),
        7 => wrapping(2, true),
        _ => Domain::Integer,
    }
}
