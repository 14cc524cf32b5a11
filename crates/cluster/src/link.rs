//! Connections that say when they break.
//!
//! timely's threads read from and write to a stream, and panic when that fails; then nobody would know
//! why, and some would wait forever. So what they get here does not fail: it notes who was lost in the
//! [`Health`] of the process, closes all other connections, so that everybody learns of it, and waits.
//! Whoever works looks at the health and leaves.
//!
//! What is sent is framed: a length and so many bytes. A frame without bytes is a beat, which another
//! thread sends every now and then; whoever hears nothing for too long takes the other for lost. A
//! special length is the last word of one who leaves in order, and another one comes before the reason
//! of one who leaves because somebody else was lost.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

/// Frames that are not of bytes.
const BEAT: u32 = 0;
const LAST_WORD: u32 = u32::MAX;
const LOST_ANOTHER: u32 = u32::MAX - 1;
/// The most bytes of a frame.
const MOST: usize = 1 << 20;

/// A lock whose holders do not fail.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who was lost, and how that was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) process: usize,
    pub(crate) why: String,
}

/// Whether all processes are there.
#[derive(Debug, Default)]
pub(crate) struct Health {
    is_broken: AtomicBool,
    lost: Mutex<Option<Lost>>,
    peers: Mutex<Vec<Arc<Peer>>>,
    /// Whether this process leaves in order, so that others may.
    is_leaving: AtomicBool,
}

impl Health {
    pub(crate) fn lost(&self) -> Option<Lost> {
        if self.is_broken.load(Ordering::Acquire) { locked(&self.lost).clone() } else { None }
    }

    /// Whether nobody was lost.
    pub(crate) fn check(&self) -> Result<(), Lost> {
        self.lost().map_or(Ok(()), Err)
    }

    /// Nobody who closes a connection from now on is lost.
    pub(crate) fn leave(&self) {
        self.is_leaving.store(true, Ordering::Release);
    }

    /// Notes that somebody was lost, if that is the first, and tells the others.
    pub(crate) fn lose(&self, lost: &Lost) {
        {
            let mut first = locked(&self.lost);
            if first.is_some() || self.is_leaving.load(Ordering::Acquire) {
                return;
            }
            *first = Some(lost.clone());
        }
        self.is_broken.store(true, Ordering::Release);
        for peer in locked(&self.peers).iter() {
            peer.say_lost(lost);
            // Threads that read or write wake up.
            let _ = peer.socket.shutdown(Shutdown::Both);
        }
    }

    /// Sends beats until somebody is lost or all is over.
    pub(crate) fn beat(&self, every: Duration) {
        while !self.is_broken.load(Ordering::Acquire) && !self.is_leaving.load(Ordering::Acquire) {
            std::thread::sleep(every);
            for peer in locked(&self.peers).iter() {
                // Who holds the lock is writing: that is as good.
                if let Ok(mut out) = peer.out.try_lock() {
                    let _ = out.write_all(&BEAT.to_le_bytes());
                }
            }
        }
    }
}

/// Another process.
#[derive(Debug)]
pub(crate) struct Peer {
    process: usize,
    socket: TcpStream,
    out: Mutex<TcpStream>,
    silence: Duration,
}

impl Peer {
    fn say_lost(&self, Lost { process, why }: &Lost) {
        let text = format!("{process} {why}");
        let Ok(length) = u32::try_from(text.len()) else { return };
        let frame = [&LOST_ANOTHER.to_le_bytes(), &length.to_le_bytes(), text.as_bytes()].concat();
        match self.out.try_lock() {
            Ok(mut out) => drop(out.write_all(&frame)),
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => {}
        }
    }
}

/// One end of a connection to another process.
#[derive(Debug)]
pub(crate) struct Link {
    peer: Arc<Peer>,
    health: Arc<Health>,
    reader: TcpStream,
    /// Bytes of the frame that were not read yet.
    left: usize,
    has_left: bool,
}

impl Link {
    /// A connection to this process, which is lost if it is silent for so long.
    pub(crate) fn new(
        process: usize,
        socket: TcpStream,
        silence: Duration,
        health: &Arc<Health>,
    ) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(silence))?;
        socket.set_write_timeout(Some(silence))?;
        let (out, reader) = (Mutex::new(socket.try_clone()?), socket.try_clone()?);
        let peer = Arc::new(Peer { process, socket, out, silence });
        locked(&health.peers).push(Arc::clone(&peer));
        Ok(Self { peer, health: Arc::clone(health), reader, left: 0, has_left: false })
    }

    /// Notes that the other one was lost, and does nothing any more.
    fn lost(&self, error: &io::Error) -> ! {
        let silence = self.peer.silence.as_secs_f32();
        let kind = error.kind();
        let why = if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&kind) {
            format!("nothing was heard of it for {silence} s")
        } else if kind == io::ErrorKind::UnexpectedEof {
            "it closed the connection".to_owned()
        } else {
            error.to_string()
        };
        self.give_up(&Lost { process: self.peer.process, why })
    }

    fn give_up(&self, lost: &Lost) -> ! {
        self.health.lose(lost);
        loop {
            std::thread::park();
        }
    }

    fn read_number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.reader.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads lengths up to one of a frame with bytes.
    fn next_frame(&mut self) -> io::Result<()> {
        while self.left == 0 && !self.has_left {
            match self.read_number()? {
                BEAT => {}
                LAST_WORD => self.has_left = true,
                LOST_ANOTHER => {
                    let length = self.read_number()?;
                    let mut text = String::new();
                    Read::by_ref(&mut self.reader).take(length.into()).read_to_string(&mut text)?;
                    let (process, why) = text.split_once(' ').unwrap_or((&text, ""));
                    let process = process.parse().unwrap_or(self.peer.process);
                    self.give_up(&Lost { process, why: why.to_owned() });
                }
                length => self.left = length as usize,
            }
        }
        Ok(())
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Err(error) = self.next_frame() {
            self.lost(&error);
        }
        if self.has_left {
            return Ok(0);
        }
        let most = self.left.min(buffer.len());
        loop {
            match self.reader.read(&mut buffer[..most]) {
                Ok(0) => self.lost(&io::ErrorKind::UnexpectedEof.into()),
                Ok(number) => {
                    self.left -= number;
                    return Ok(number);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.lost(&error),
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(MOST)];
        let Ok(length) = u32::try_from(bytes.len()) else { return Ok(0) };
        if length == 0 {
            return Ok(0);
        }
        let mut out = locked(&self.peer.out);
        let written = out.write_all(&length.to_le_bytes()).and_then(|()| out.write_all(bytes));
        drop(out);
        match written {
            Ok(()) => Ok(bytes.len()),
            Err(error) => self.lost(&error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        let Self { peer, health, reader, left, has_left } = self;
        let (peer, health) = (Arc::clone(peer), Arc::clone(health));
        Ok(Self { peer, health, reader: reader.try_clone()?, left: *left, has_left: *has_left })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.reader.set_nonblocking(nonblocking)
    }

    /// timely shuts down what it writes to when all has been written.
    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let mut out = locked(&self.peer.out);
        let said = out.write_all(&LAST_WORD.to_le_bytes());
        drop(out);
        match said.and_then(|()| self.peer.socket.shutdown(how)) {
            Ok(()) => Ok(()),
            Err(error) => self.lost(&error),
        }
    }
}
