//! The x86-64 machine: memory of bytes, and threads with registers and store buffers (x86-TSO).
//!
//! What only one thread ever touches while others are alive ([`Sharing`]) is memory of its own: nobody can
//! tell when it is read or written, so a store to it does not wait in the buffer, and steps that touch
//! nothing else are made at once ([`Machine::settle`]). All other steps are visible, one at a time.

mod arithmetic;
mod execute;
mod library;
mod memory;

pub(crate) use memory::Sharing;

use crate::Model;
use crate::assembly::{CODE, DATA, Image, Instruction, Library, Target, register};
use arithmetic::Flags;

/// Bytes for the stack of each thread.
const STACK: usize = 1024;
/// Bytes that each thread can allocate.
const HEAP: usize = 512;
/// Where a thread returns to when it ends.
const END: u64 = 0x7fff_0000;
/// How far a thread goes by itself at once: it may wait in a loop for what nobody is known to write yet.
const MOST_LOCAL_STEPS: usize = 3_000;
/// A program with more threads is too large.
pub(crate) const MOST_THREADS: usize = 8;

/// A store that others do not see yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    address: u64,
    bytes: u64,
    value: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    registers: [u64; 16],
    flags: Flags,
    /// The next instruction, or [`END`].
    at: u64,
    buffer: Vec<Store>,
    has_ended: bool,
    allocated: u64,
}

/// A state of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    memory: Vec<u8>,
    threads: Vec<Thread>,
    has_failed: bool,
}

/// Why an instruction was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// Others may see it: it is a step of its own.
    IsVisible,
    /// It waits: for the buffer, for a mutex, for another thread.
    Waits,
    /// The program or the machine is wrong.
    Wrong(String),
}

/// What executes instructions of one thread.
struct Executor<'m> {
    machine: &'m Machine<'m>,
    state: &'m mut State,
    sharing: &'m mut Sharing,
    thread: usize,
    /// Whether the instruction may be visible.
    may_be_seen: bool,
    /// Whether it was.
    was_seen: bool,
}

/// A program and the rules it runs by.
pub(crate) struct Machine<'i> {
    image: &'i Image,
    model: Model,
}

impl<'i> Machine<'i> {
    pub(crate) fn new(image: &'i Image, model: Model) -> Self {
        Self { image, model }
    }

    /// `main` has not begun.
    pub(crate) fn initial(&self) -> Result<State, String> {
        let main = self.image.symbols.get("main").ok_or("there is no `main`")?;
        let mut memory = self.image.data.clone();
        memory.resize(memory.len().next_multiple_of(64), 0);
        let mut state = State { memory, threads: Vec::new(), has_failed: false };
        self.add_thread(&mut state, *main, 0)?;
        Ok(state)
    }

    /// A thread with a stack, a heap and variables of its own.
    fn add_thread(&self, state: &mut State, routine: u64, argument: u64) -> Result<(), String> {
        if state.threads.len() == MOST_THREADS {
            return Err("too many threads".to_owned());
        }
        let from = state.memory.len();
        let own = &self.image.thread_local;
        // Below the thread's own variables its stack, behind them a word with its own address; then the heap.
        state.memory.resize(from + STACK, 0);
        state.memory.extend(own);
        let pointer = DATA + length(&state.memory);
        state.memory.extend(pointer.to_le_bytes());
        state.memory.resize((from + STACK + own.len() + 8).next_multiple_of(64) + HEAP, 0);
        let mut registers = [0; 16];
        // As after a call: the return address is on an aligned stack.
        let top = from + STACK - 8;
        state.memory[top..top + 8].copy_from_slice(&END.to_le_bytes());
        registers[register::RSP] = DATA + wide(top);
        registers[register::RDI] = argument;
        state.threads.push(Thread {
            registers,
            flags: Flags::default(),
            at: routine,
            buffer: Vec::new(),
            has_ended: false,
            allocated: 0,
        });
        Ok(())
    }

    /// Where the memory of a thread begins.
    fn region(&self, thread: usize) -> usize {
        let data = self.image.data.len().next_multiple_of(64);
        let each = (STACK + self.image.thread_local.len() + 8).next_multiple_of(64) + HEAP;
        data + thread * each
    }

    /// Runs every thread until its next step is visible, or for long, and forgets what is dead.
    pub(crate) fn settle(&self, state: &mut State, sharing: &mut Sharing) -> Result<(), String> {
        let mut thread = 0;
        while thread < state.threads.len() {
            self.settle_thread(state, thread, sharing)?;
            thread += 1;
        }
        Ok(())
    }

    fn settle_thread(
        &self,
        state: &mut State,
        thread: usize,
        sharing: &mut Sharing,
    ) -> Result<(), String> {
        for _ in 0..MOST_LOCAL_STEPS {
            match self.try_step(state, thread, sharing, false) {
                Ok(()) => {}
                Err(Stop::IsVisible | Stop::Waits) => break,
                Err(Stop::Wrong(why)) => return Err(why),
            }
        }
        self.clear_dead_stack(state, thread);
        Ok(())
    }

    /// What lies below the stack pointer is nobody's: programs are compiled without a red zone.
    fn clear_dead_stack(&self, state: &mut State, thread: usize) {
        let from = self.region(thread);
        let top = index(state.threads[thread].registers[register::RSP]);
        if let Some(dead) = top.and_then(|top| state.memory.get_mut(from..top)) {
            dead.fill(0);
        }
    }

    /// One visible step of a thread, if it can make one.
    pub(crate) fn step(
        &self,
        state: &mut State,
        thread: usize,
        sharing: &mut Sharing,
    ) -> Result<bool, String> {
        match self.try_step(state, thread, sharing, true) {
            Ok(()) => Ok(true),
            Err(Stop::IsVisible | Stop::Waits) => Ok(false),
            Err(Stop::Wrong(why)) => Err(why),
        }
    }

    fn try_step(
        &self,
        state: &mut State,
        thread: usize,
        sharing: &mut Sharing,
        may_be_seen: bool,
    ) -> Result<(), Stop> {
        let one = &state.threads[thread];
        if one.has_ended || state.has_failed {
            return Err(Stop::Waits);
        }
        let before = (one.registers, one.flags, one.at);
        let mut executor =
            Executor { machine: self, state, sharing, thread, may_be_seen, was_seen: false };
        let done = executor.execute();
        if done.is_err() {
            let one = &mut state.threads[thread];
            (one.registers, one.flags, one.at) = before;
        }
        done.map_err(|stop| match stop {
            Stop::Wrong(why) => Stop::Wrong(format!("thread {thread}: {why}")),
            other @ (Stop::IsVisible | Stop::Waits) => other,
        })
    }

    fn instruction(&self, at: u64) -> Option<Instruction> {
        if at == END {
            return Some(Instruction::Call(Target::Library(Library::Exit)));
        }
        let number = usize::try_from(at.checked_sub(CODE)?).ok()?;
        self.image.code.get(number).copied()
    }
}

impl State {
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The oldest store of a thread reaches memory, if there is one.
    pub(crate) fn flush(&mut self, thread: usize) -> Result<bool, String> {
        if self.threads[thread].buffer.is_empty() {
            return Ok(false);
        }
        let Store { address, bytes, value } = self.threads[thread].buffer.remove(0);
        memory::put(&mut self.memory, address, bytes, value).ok_or("a store outside of memory")?;
        Ok(true)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.threads.iter().all(|thread| thread.has_ended && thread.buffer.is_empty())
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// The eight bytes at an address.
    pub(crate) fn word(&self, address: u64) -> Option<i64> {
        memory::get(&self.memory, address, 8).map(u64::cast_signed)
    }

    /// All of it, in few bytes: memory as what differs from other memory.
    pub(crate) fn encoded(&self, initial: &[u8]) -> Box<[u8]> {
        let mut code = Vec::with_capacity(512);
        for thread in &self.threads {
            for register in thread.registers {
                pack(&mut code, register);
            }
            code.push(thread.flags.bits() | u8::from(thread.has_ended) << 7);
            pack(&mut code, thread.at);
            pack(&mut code, thread.allocated);
            pack(&mut code, length(&thread.buffer));
            for store in &thread.buffer {
                pack(&mut code, store.address);
                pack(&mut code, store.bytes);
                pack(&mut code, store.value);
            }
        }
        code.push(u8::from(self.has_failed));
        memory::difference(&self.memory, initial, &mut code);
        code.into()
    }

    pub(crate) fn memory(&self) -> &[u8] {
        &self.memory
    }
}

/// A number in as many bytes as it needs, after how many these are.
fn pack(into: &mut Vec<u8>, value: u64) {
    let bytes = value.to_le_bytes();
    let used = 8 - usize::try_from(value.leading_zeros() / 8).unwrap_or(0);
    into.push(u8::try_from(used).unwrap_or(8));
    into.extend(&bytes[..used]);
}

fn length<T>(of: &[T]) -> u64 {
    wide(of.len())
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Where an address lies in memory.
fn index(address: u64) -> Option<usize> {
    usize::try_from(address.checked_sub(DATA)?).ok()
}
