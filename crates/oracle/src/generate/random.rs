//! Random small programs, the same for the same seed.
//!
//! A program has a few threads, which share one to three scalars and sometimes an array; each
//! thread has a scalar that nobody else uses. Threads load, store, update, fence, compute, branch,
//! block on conditions and assert. There are no loops, so every program can be enumerated.
//!
//! Most programs made of random statements are harmless. So in every other program the threads also
//! go round in a circle, as in most litmus tests: each accesses a scalar and then the scalar that
//! the next thread accesses first, mostly storing and then loading, with random statements in
//! between.

use fastrand::Rng;
use program::{Count, Domain, Identity, IntType, Location, Outside, Program, ProgramBuilder};

use crate::generate::random_thread::{Body, Object};

/// What random programs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The greatest number of threads; at least two.
    pub max_threads: usize,
    /// About the greatest number of accesses of a run, in all threads together.
    pub max_accesses: usize,
    /// The greatest number of shared scalars, from one to four.
    pub max_scalars: usize,
    /// Whether there may be locked sections.
    pub sections: bool,
    /// Whether there may be exclusive accesses.
    pub exclusives: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { max_threads: 4, max_accesses: 8, max_scalars: 3, sections: true, exclusives: true }
    }
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
        let domain = match rng.u32(..50) {
            0 => Domain::Range { low: 0, high: 1 },
            1 => Domain::Wrapping(IntType::new(1, false).expect("one bit")),
            _ => Domain::Integer,
        };
        let length = (rng.u32(..15) == 0).then_some(2);
        base += 10;
        let location = Location { domain, length, ..Location::scalar(name, base) };
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
    let mut written = 0;
    for (number, own) in privates.into_iter().enumerate() {
        // Two copies of one template count twice.
        let copies = if written + 1 < threads && rng.u32(..10) == 0 { 2 } else { 1 };
        if written >= threads {
            break;
        }
        written += copies;
        let mut body = Body::new(rng, shape, format!("P{number}"), &shared, own);
        body.simple = body.rng.bool();
        if copies == 2 {
            let register = body.template.integer_register("me");
            body.template.identity(Identity { register, first: 0 });
            body.template.count(Count::Exactly(2));
            body.readable.push(register);
        }
        let share = accesses / threads + usize::from(number < accesses % threads);
        body.budget = share;
        let start = body.at;
        if circle {
            body.random_or_nothing();
            body.step_of_circle(shared[number % scalars], 4);
            body.random_or_nothing();
            body.step_of_circle(shared[(number + 1) % threads % scalars], 1);
        }
        body.statements(8);
        let template = body.finish(start);
        builder.template(template);
    }
    builder.build().expect("random programs are valid")
}
