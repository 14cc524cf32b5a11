//! How processes find each other.
//!
//! Process 0 listens. Every other process tells it its number, what binary it is, and where it listens
//! itself; when all have come, process 0 tells everybody where the others are, and of two others the
//! one with the higher number calls the other. A process that is another binary, or does not know the
//! key, is refused: tables mean the same to both sides only if both are the same.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

use crate::engine::Cluster;
use crate::link::{Health, Link, Lost};
use crate::service::Crew;

/// The longest greeting.
const LONGEST: u32 = 1 << 20;
/// Time between two looks at the door.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// How long one who calls may take to say who it is.
const TO_GREET: Duration = Duration::from_secs(2);

/// Why processes cannot work together, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unable(pub String);

impl Unable {
    fn because(what: &str) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("{what}: {error}"))
    }
}

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For processes that have not come yet.
    pub gathering: Duration,
    /// For a sign of life.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { gathering: Duration::from_mins(1), silence: Duration::from_secs(20) }
    }
}

/// Where the processes of a cluster listen, `host:port` each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Reads a file with one address in a line; empty lines and what follows `#` do not count.
    pub fn parse(text: &str) -> Result<Self, Unable> {
        let lines = text.lines().zip(1..).filter_map(|(line, number)| {
            let address = line.split('#').next().unwrap_or("").trim();
            (!address.is_empty()).then_some((address, number))
        });
        let mut hosts: Vec<String> = Vec::new();
        for (address, number) in lines {
            let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
            if port.is_none() || address.contains(char::is_whitespace) {
                return Err(Unable(format!("line {number}: `{address}` is not host:port")));
            }
            if hosts.iter().any(|host| host == address) {
                return Err(Unable(format!("line {number}: `{address}` is there twice")));
            }
            hosts.push(address.to_owned());
        }
        if hosts.len() < 2 {
            return Err(Unable("fewer than two hosts".to_owned()));
        }
        Ok(Self(hosts))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Where a process listens.
    pub fn address(&self, process: usize) -> Option<&str> {
        self.0.get(process).map(String::as_str)
    }
}

/// What processes must have in common.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// What binary this is.
    pub identity: String,
    /// What others do not know.
    pub key: String,
    /// How long to wait.
    pub patience: Patience,
}

impl Gathering {
    /// Starts so many processes less one on this machine, each by the command for its number and the
    /// address of this one.
    pub fn start(
        &self,
        processes: usize,
        threads: usize,
        mut command: impl FnMut(usize, &str) -> Command,
    ) -> Result<Cluster, Unable> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Unable::because("listening"))?;
        let address = listener.local_addr().map_err(Unable::because("listening"))?.to_string();
        let mut children = Children(Vec::new());
        for process in 1..processes {
            let mut command = command(process, &address);
            command.stdin(Stdio::null());
            let child = command.spawn().map_err(Unable::because("starting a process"))?;
            children.0.push(child);
        }
        let name = |process: usize| format!("process {process}");
        let sockets = self.welcome(&listener, (processes, threads), &name, &mut children)?;
        self.lead(sockets, threads, children)
    }

    /// Waits for the processes of other hosts.
    pub fn lead_hosts(&self, hosts: &Hosts, threads: usize) -> Result<Cluster, Unable> {
        let listener = TcpListener::bind(&hosts.0[0])
            .map_err(Unable::because(&format!("listening at {}", hosts.0[0])))?;
        let name = |process: usize| format!("process {process} ({})", hosts.0[process]);
        let mut nobody = Children(Vec::new());
        let count = (hosts.count(), threads);
        let sockets = self.welcome(&listener, count, &name, &mut nobody)?;
        self.lead(sockets, threads, nobody)
    }

    fn lead(
        &self,
        sockets: Vec<Option<TcpStream>>,
        threads: usize,
        children: Children,
    ) -> Result<Cluster, Unable> {
        let (jobs, receiver) = std::sync::mpsc::channel();
        let health = Arc::new(Health::default());
        let (builders, guard) = linked(sockets, 0, threads, self.patience.silence, &health)?;
        let crew = Crew::start(builders, guard, health, Some(receiver));
        let crew = crew.map_err(Unable)?;
        Ok(Cluster::new(crew, jobs, children))
    }

    /// Lets all other processes come, and tells them about each other.
    fn welcome(
        &self,
        listener: &TcpListener,
        (processes, threads): (usize, usize),
        name: &dyn Fn(usize) -> String,
        children: &mut Children,
    ) -> Result<Vec<Option<TcpStream>>, Unable> {
        let mut here: Vec<Option<(TcpStream, String)>> = (0..processes).map(|_| None).collect();
        let deadline = Instant::now() + self.patience.gathering;
        while here.iter().skip(1).any(Option::is_none) {
            let Some(stream) = next_caller(listener)? else {
                if let Some((process, status)) = children.ended(|_, _| true) {
                    return Err(Unable(format!("process {process} ended at once: {status}")));
                }
                if Instant::now() >= deadline {
                    let missing = (1..processes).filter(|&process| here[process].is_none());
                    let missing: Vec<String> = missing.map(name).collect();
                    let missing = missing.join(", ");
                    let seconds = self.patience.gathering.as_secs_f32();
                    return Err(Unable(format!("did not come within {seconds} s: {missing}")));
                }
                std::thread::sleep(BETWEEN_LOOKS);
                continue;
            };
            // One who does not say anything sensible is not one of us.
            let Ok((mut stream, hello)) = greeted(stream) else { continue };
            match self.accepted(&hello, 1..processes) {
                Ok((process, address)) => here[process] = Some((stream, address)),
                Err(why) => {
                    let _ = send(&mut stream, &format!("refused\n{why}"));
                    return Err(Unable(why));
                }
            }
        }
        let addresses: Vec<String> =
            here.iter().skip(1).flatten().map(|(_, address)| address.clone()).collect();
        let silence = self.patience.silence.as_millis();
        let welcome = format!("welcome\n{threads}\n{silence}\n{}", addresses.join("\n"));
        let mut sockets = Vec::new();
        for (process, socket) in here.into_iter().enumerate() {
            sockets.push(match socket {
                Some((mut stream, _)) => {
                    let told = send(&mut stream, &welcome);
                    told.map_err(Unable::because(&name(process)))?;
                    Some(stream)
                }
                None => None,
            });
        }
        Ok(sockets)
    }

    fn hello(&self, process: usize, address: &str) -> String {
        let Self { identity, key, .. } = self;
        format!("fencewright cluster\n{identity}\n{key}\n{process}\n{address}")
    }

    /// Who says so, if it is one of these and like this one; or why not.
    fn accepted(
        &self,
        hello: &str,
        expected: std::ops::Range<usize>,
    ) -> Result<(usize, String), String> {
        let mut lines = hello.lines();
        let mut line = || lines.next().unwrap_or("");
        if line() != "fencewright cluster" {
            return Err("something that is no Fencewright called".to_owned());
        }
        let (identity, key, process, address) = (line(), line(), line(), line());
        let number = process.parse::<usize>().ok().filter(|process| expected.contains(process));
        let Some(number) = number else {
            return Err(format!("a process with the unexpected number {process} called"));
        };
        if identity != self.identity {
            return Err(format!(
                "process {number} is another binary ({identity}) than this ({})",
                self.identity
            ));
        }
        if key != self.key {
            return Err(format!("process {number} has another key"));
        }
        Ok((number, address.to_owned()))
    }
}

/// Serves the process 0 that listens there as process with this number, until it wants no more; others
/// are told to call at `listen`, where a port 0 stands for any.
pub fn serve(
    gathering: &Gathering,
    leader: &str,
    process: usize,
    listen: &str,
) -> Result<(), Unable> {
    let listener =
        TcpListener::bind(listen).map_err(Unable::because(&format!("listening at {listen}")))?;
    let address = if listen.ends_with(":0") {
        listener.local_addr().map_err(Unable::because("listening"))?.to_string()
    } else {
        listen.to_owned()
    };
    let patience = gathering.patience.gathering;
    let deadline = Instant::now() + patience;
    let mut first = called(leader, deadline)?;
    let lost = Unable::because("process 0");
    send(&mut first, &gathering.hello(process, &address)).map_err(&lost)?;
    // Until all others are there.
    first.set_read_timeout(Some(patience * 2)).map_err(&lost)?;
    let welcome = receive(&mut first).map_err(&lost)?;
    let mut lines = welcome.lines();
    match lines.next() {
        Some("welcome") => {}
        Some("refused") => return Err(Unable(lines.next().unwrap_or_default().to_owned())),
        Some(_) | None => return Err(Unable(format!("{leader} is no Fencewright"))),
    }
    let mut number = || lines.next().and_then(|line| line.parse::<u64>().ok());
    let (Some(threads), Some(silence)) = (number(), number()) else {
        return Err(Unable(format!("{leader} is no Fencewright")));
    };
    let threads = usize::try_from(threads).unwrap_or(1);
    let addresses: Vec<&str> = lines.collect();
    let mut sockets: Vec<Option<TcpStream>> = vec![Some(first)];
    for (address, other) in addresses.iter().zip(1..process) {
        let mut stream = called(address, deadline + patience)?;
        let hello = gathering.hello(process, "");
        send(&mut stream, &hello).map_err(Unable::because(&format!("process {other}")))?;
        sockets.push(Some(stream));
    }
    let processes = addresses.len() + 1;
    sockets.resize_with(processes, || None);
    let deadline = Instant::now() + patience;
    while (process + 1..processes).any(|other| sockets[other].is_none()) {
        let Some(stream) = next_caller(&listener)? else {
            if Instant::now() >= deadline {
                return Err(Unable("the other processes did not call".to_owned()));
            }
            std::thread::sleep(BETWEEN_LOOKS);
            continue;
        };
        let Ok((stream, hello)) = greeted(stream) else { continue };
        let (other, _) = gathering.accepted(&hello, process + 1..processes).map_err(Unable)?;
        sockets[other] = Some(stream);
    }
    drop(listener);
    let health = Arc::new(Health::default());
    let silence = Duration::from_millis(silence);
    let (builders, guard) = linked(sockets, process, threads, silence, &health)?;
    let crew = Crew::start(builders, guard, health, None);
    let crew = crew.map_err(Unable)?;
    let is_busy = Arc::clone(&crew.is_busy);
    match crew.join() {
        Ok(()) => Ok(()),
        // The command is over.
        Err(Lost { process: 0, .. }) if !is_busy.load(Ordering::Acquire) => Ok(()),
        Err(Lost { process, why }) => Err(Unable(format!("lost process {process}: {why}"))),
    }
}

type Linked = (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>);

/// Hands connections to timely.
fn linked(
    sockets: Vec<Option<TcpStream>>,
    process: usize,
    threads: usize,
    silence: Duration,
    health: &Arc<Health>,
) -> Result<Linked, Unable> {
    let failed = |error| Unable::because("connecting")(error);
    let mut links = Vec::new();
    for (other, socket) in sockets.into_iter().enumerate() {
        let link = |socket| Link::new(other, socket, silence, health);
        links.push(socket.map(link).transpose().map_err(failed)?);
    }
    let beating = Arc::clone(health);
    std::thread::spawn(move || beating.beat(silence / 8));
    let hooks = Hooks::default();
    let inner = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard) =
        initialize_networking_from_sockets(inner, links, process, threads, hooks)
            .map_err(failed)?;
    Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
}

/// Processes that this one has started.
#[derive(Debug)]
pub(crate) struct Children(pub(crate) Vec<Child>);

impl Children {
    /// One that has ended, and how: of those that are meant, by number and by whether they ended with a
    /// code of their own.
    pub(crate) fn ended(
        &mut self,
        is_meant: impl Fn(usize, bool) -> bool,
    ) -> Option<(usize, String)> {
        self.0.iter_mut().zip(1..).find_map(|(child, process)| {
            let status = child.try_wait().ok().flatten()?;
            is_meant(process, status.code().is_some()).then(|| (process, status.to_string()))
        })
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has been told to end does so; others have nothing to lose.
            let ends = (0..100).any(|_| {
                let has_ended = child.try_wait().is_ok_and(|status| status.is_some());
                if !has_ended {
                    std::thread::sleep(BETWEEN_LOOKS);
                }
                has_ended
            });
            if !ends {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}

/// Calls until somebody answers.
fn called(address: &str, deadline: Instant) -> Result<TcpStream, Unable> {
    let mut pause = BETWEEN_LOOKS;
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() >= deadline => {
                return Err(Unable(format!("{address} does not answer: {error}")));
            }
            Err(_) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(500));
            }
        }
    }
}

fn next_caller(listener: &TcpListener) -> Result<Option<TcpStream>, Unable> {
    let failed = |error| Unable::because("listening")(error);
    listener.set_nonblocking(true).map_err(failed)?;
    match listener.accept() {
        Ok((stream, _)) => Ok(Some(stream)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn greeted(mut stream: TcpStream) -> io::Result<(TcpStream, String)> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(TO_GREET))?;
    let hello = receive(&mut stream)?;
    Ok((stream, hello))
}

fn send(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    let length = u32::try_from(text.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    stream.write_all(&[&length.to_le_bytes(), text.as_bytes()].concat())
}

fn receive(stream: &mut TcpStream) -> io::Result<String> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = String::new();
    stream.take(length.into()).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_lines() {
        let read = |text: &str| Hosts::parse(text).map(|hosts| hosts.0).map_err(|why| why.0);
        let two = vec!["a:1".to_owned(), "[::1]:2".to_owned()];
        assert_eq!(read("# nodes\na:1\n\n [::1]:2 # the second\n"), Ok(two));
        for (text, why) in [
            ("a:1\nb\n", "line 2: `b` is not host:port"),
            ("a:1\nb:x\n", "line 2: `b:x` is not host:port"),
            ("a:1\nb c:3\n", "line 2: `b c:3` is not host:port"),
            ("a:1\na:1\n", "line 2: `a:1` is there twice"),
            ("a:1\n", "fewer than two hosts"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn others_are_refused() {
        let gathering = |identity: &str, key: &str| Gathering {
            identity: identity.to_owned(),
            key: key.to_owned(),
            patience: Patience::default(),
        };
        let this = gathering("1.0", "secret");
        let answer = |hello: &str| this.accepted(hello, 1..4);
        assert_eq!(answer(&this.hello(2, "x:1")), Ok((2, "x:1".to_owned())));
        for (hello, why) in [
            (this.hello(4, ""), "a process with the unexpected number 4 called"),
            (gathering("1.1", "secret").hello(2, ""), "another binary"),
            (gathering("1.0", "guess").hello(2, ""), "process 2 has another key"),
            ("GET / HTTP/1.1".to_owned(), "no Fencewright"),
        ] {
            assert!(answer(&hello).is_err_and(|error| error.contains(why)), "{hello}");
        }
    }
}
