//! This machine as a graphics card: the kernels' text, compiled by a C++ compiler.

use std::collections::HashMap;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gpu::{Arguments, Device, Engine, Failed, Kernel, Room};
use libloading::Library;

const PRELUDE: &str = include_str!("host.hpp");

/// This machine, with so many bytes of memory.
#[derive(Debug)]
pub(crate) struct Host {
    memory: usize,
    /// So many states of each part are not expanded, which a card must not do.
    passed_over: u64,
    /// What was compiled: the same tables are often asked about again.
    compiled: Mutex<HashMap<String, Arc<Library>>>,
}

/// An engine on this machine.
pub(crate) fn engine(memory: usize, room: Room) -> Engine<Host> {
    faulty_engine(memory, room, 0)
}

/// The same, but of each part of a level the last so many states are not expanded.
pub(crate) fn faulty_engine(memory: usize, room: Room, passed_over: u64) -> Engine<Host> {
    Engine::new(Host { memory, passed_over, compiled: Mutex::new(HashMap::new()) }, PRELUDE, room)
}

impl Device for Host {
    type Buffer = Vec<AtomicU64>;
    type Compiled = Arc<Library>;

    fn compile(&self, text: &str, _: &[Kernel]) -> Result<Arc<Library>, Failed> {
        let mut known = self.compiled.lock().expect("no thread fails");
        if let Some(library) = known.get(text) {
            return Ok(Arc::clone(library));
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (source, library) =
            (folder.path().join("kernels.cpp"), folder.path().join("kernels.so"));
        std::fs::write(&source, text).expect("room for a text");
        let compiled = Command::new("clang")
            .args([
                "-x",
                "c++",
                "-O1",
                "-std=c++17",
                "-shared",
                "-fPIC",
                "-pthread",
                "-Wall",
                "-Werror",
                "-o",
            ])
            .args([&library, &source])
            .output()
            .expect("clang, which the test command installs");
        if !compiled.status.success() {
            return Err(Failed(String::from_utf8_lossy(&compiled.stderr).into_owned()));
        }
        // SAFETY: the library has nothing that runs when it is loaded.
        #[expect(unsafe_code, reason = "loading a library may run its code")]
        let library = unsafe { Library::new(&library) };
        let library = Arc::new(library.expect("it was just written"));
        known.insert(text.to_owned(), Arc::clone(&library));
        Ok(library)
    }

    fn free_memory(&self) -> Result<usize, Failed> {
        Ok(self.memory)
    }

    fn reserve(&self, words: usize) -> Result<Vec<AtomicU64>, Failed> {
        Ok((0..words as u64).map(AtomicU64::new).collect())
    }

    fn fill(&self, buffer: &mut Vec<AtomicU64>) -> Result<(), Failed> {
        for word in buffer.iter() {
            word.store(u64::MAX, Ordering::Relaxed);
        }
        Ok(())
    }

    fn write(&self, buffer: &mut Vec<AtomicU64>, words: &[u64]) -> Result<(), Failed> {
        for (place, word) in buffer.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        Ok(())
    }

    fn read(&self, buffer: &Vec<AtomicU64>, words: usize) -> Result<Vec<u64>, Failed> {
        Ok(buffer[..words].iter().map(|word| word.load(Ordering::Relaxed)).collect())
    }

    fn address(&self, buffer: &Vec<AtomicU64>) -> u64 {
        buffer.as_ptr().expose_provenance() as u64
    }

    fn launch(
        &self,
        library: &Arc<Library>,
        kernel: Kernel,
        arguments: &Arguments,
    ) -> Result<(), Failed> {
        let passed_over = if kernel == Kernel::Expand { self.passed_over } else { 0 };
        let arguments =
            &Arguments { count: arguments.count.saturating_sub(passed_over), ..*arguments };
        // SAFETY: the functions have this type (`host.hpp`), and the arguments are addresses of buffers.
        #[expect(unsafe_code, reason = "the compiler cannot look into the library")]
        unsafe {
            let kernel = library
                .get::<unsafe extern "C" fn(&Arguments)>(kernel.name())
                .map_err(|error| Failed(error.to_string()))?;
            kernel(arguments);
        }
        Ok(())
    }
}
