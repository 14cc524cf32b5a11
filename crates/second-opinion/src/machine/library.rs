//! What functions of the library do, on x86 as glibc has it.
//!
//! Creating, ending and joining a thread, locking and unlocking wait for the buffer. A mutex is its first
//! four bytes: 0 if it is free. Allocated memory is never used again and holds zeros.

use super::{Executor, HEAP, STACK, Stop, memory, wide};
use crate::assembly::{DATA, Library, register};

/// `EBUSY`.
const BUSY: u64 = 16;

type Done = Result<(), Stop>;

impl Executor<'_> {
    fn argument(&self, at: usize) -> u64 {
        let registers = [register::RDI, register::RSI, register::RDX, register::RCX];
        self.held(registers[at])
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is what calls end with")]
    fn returns(&mut self, value: u64) -> Done {
        self.clobber();
        self.set(register::RDX, 0);
        self.set(register::RAX, value);
        Ok(())
    }

    /// A step of its own, made with an empty buffer.
    fn synchronise(&self) -> Done {
        if !self.may_be_seen {
            return Err(Stop::IsVisible);
        }
        self.drained()
    }

    pub(super) fn call_library(&mut self, function: Library) -> Done {
        match function {
            Library::Create => {
                self.synchronise()?;
                let (handle, routine, argument) =
                    (self.argument(0), self.argument(2), self.argument(3));
                let created = wide(self.state.threads.len());
                self.write_now(handle, created)?;
                self.machine.add_thread(self.state, routine, argument).map_err(Stop::Wrong)?;
                self.returns(0)
            }
            Library::Join => {
                self.synchronise()?;
                let (handle, into) = (self.argument(0), self.argument(1));
                let joined = usize::try_from(handle).ok();
                let joined = joined.and_then(|joined| self.state.threads.get(joined));
                let joined = joined.ok_or_else(|| Stop::Wrong("no thread to join".to_owned()))?;
                if !joined.has_ended {
                    return Err(Stop::Waits);
                }
                let result = joined.registers[register::RAX];
                if into != 0 {
                    self.write_now(into, result)?;
                }
                self.returns(0)
            }
            Library::Exit => {
                self.synchronise()?;
                // What is passed to `pthread_exit` is what a function of a thread returns.
                let is_called = self.state.threads[self.thread].at != super::END + 1;
                let result = if is_called { self.argument(0) } else { self.held(register::RAX) };
                let thread = &mut self.state.threads[self.thread];
                thread.registers = [0; 16];
                thread.registers[register::RAX] = result;
                thread.registers[register::RSP] =
                    DATA + wide(self.machine.region(self.thread) + STACK);
                thread.flags = super::Flags::default();
                thread.has_ended = true;
                Ok(())
            }
            Library::Lock => {
                self.synchronise()?;
                let mutex = self.argument(0);
                if self.mutex(mutex)? != 0 {
                    return Err(Stop::Waits);
                }
                self.set_mutex(mutex, 1)?;
                self.returns(0)
            }
            Library::Unlock => {
                self.synchronise()?;
                let mutex = self.argument(0);
                self.set_mutex(mutex, 0)?;
                self.returns(0)
            }
            Library::TryLock => {
                self.synchronise()?;
                let mutex = self.argument(0);
                if self.mutex(mutex)? != 0 {
                    return self.returns(BUSY);
                }
                self.set_mutex(mutex, 1)?;
                self.returns(0)
            }
            Library::AwaitAtLeast => {
                if !self.may_be_seen {
                    return Err(Stop::IsVisible);
                }
                let (address, least) = (self.argument(0), self.argument(1));
                self.touched(address, 4)?;
                if self.mutex(address)? < least & u64::from(u32::MAX) {
                    return Err(Stop::Waits);
                }
                self.returns(0)
            }
            Library::Allocate => {
                let size = self.argument(0);
                self.allocate(size)
            }
            Library::AllocateArray => {
                let size = self.argument(0).wrapping_mul(self.argument(1));
                self.allocate(size)
            }
            Library::Free | Library::Nothing => self.returns(0),
            Library::Fail => {
                if !self.may_be_seen {
                    return Err(Stop::IsVisible);
                }
                self.state.has_failed = true;
                Ok(())
            }
        }
    }

    /// Eight bytes that the library writes while it waits for nothing and nobody looks.
    fn write_now(&mut self, address: u64, value: u64) -> Done {
        self.touched(address, 8)?;
        memory::put(&mut self.state.memory, address, 8, value)
            .ok_or_else(|| Stop::Wrong("the library writes outside of memory".to_owned()))
    }

    fn mutex(&self, mutex: u64) -> Result<u64, Stop> {
        memory::get(&self.state.memory, mutex, 4).ok_or_else(|| Stop::Wrong("no mutex".to_owned()))
    }

    fn set_mutex(&mut self, mutex: u64, value: u64) -> Done {
        self.touched(mutex, 4)?;
        memory::put(&mut self.state.memory, mutex, 4, value)
            .ok_or_else(|| Stop::Wrong("no mutex".to_owned()))
    }

    fn allocate(&mut self, size: u64) -> Done {
        let own = self.machine.image.thread_local.len();
        let heap = self.machine.region(self.thread) + (STACK + own + 8).next_multiple_of(64);
        let thread = &mut self.state.threads[self.thread];
        let from = thread.allocated;
        thread.allocated = from + size.next_multiple_of(16);
        if thread.allocated > wide(HEAP) {
            return Err(Stop::Wrong("too much is allocated".to_owned()));
        }
        self.returns(DATA + wide(heap) + from)
    }
}
