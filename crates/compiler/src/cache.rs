//! IR of files that have not changed.
//!
//! Two steps, as in ccache. The *command* (compiler, flags, folder, environment) has a key, under
//! which stands the list of files that the compiler read last time. That key and the present
//! contents of those files make a second key, under which stands the text. So a changed header is
//! noticed, and going back to an older text, or comparing with an overridden one, is not a miss.
//!
//! As in ccache, one change is not seen: a new file that hides, by the order of include folders,
//! one that was read.
//!
//! Keys are 128 bits of XXH3 (`xxhash-rust`: no dependencies, fast also on large headers). Nobody
//! gains by a collision in their own cache, so it need not be cryptographic, and by chance there is
//! none. Every entry carries the hash of its text, so a damaged one is found and made again. Files
//! are written under another name and renamed, so that nobody reads half of one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3;

use crate::Failure;
use crate::dependencies::Dependencies;
use crate::overrides::Overrides;
use crate::place::absolute;

/// Changed whenever the meaning of an entry changes.
const FORMAT: &str = "fencewright-ir 1";

/// Where IR is kept for the next time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cache {
    /// Nowhere.
    Off,
    /// In a folder of at most so many bytes; the oldest entries are removed.
    In {
        /// The folder; it is created when it is needed.
        folder: PathBuf,
        /// How large it may become.
        bytes: u64,
    },
}

impl Cache {
    /// How large a cache is unless something else is said.
    pub const USUAL_BYTES: u64 = 512 * 1024 * 1024;

    /// The user's cache: `$XDG_CACHE_HOME/fencewright` or `~/.cache/fencewright`, or none if
    /// neither variable is set.
    pub fn usual() -> Self {
        let folder = |variable| {
            std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        folder("XDG_CACHE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".cache")))
            .map_or(Self::Off, |folder| Self::at(folder.join("fencewright")))
    }

    /// A cache of the usual size in a folder.
    pub fn at(folder: PathBuf) -> Self {
        Self::In { folder, bytes: Self::USUAL_BYTES }
    }
}

/// Text that a compiler has written, with what it depends on.
pub(crate) struct Compilation {
    pub(crate) text: String,
    pub(crate) dependencies: Dependencies,
    /// Whether it was in the cache.
    pub(crate) reused: bool,
}

/// A command, and what is needed to tell whether its result would be the same.
pub(crate) struct Question<'a> {
    /// All that is not a file: compiler, flags, environment.
    pub(crate) command: Vec<&'a [u8]>,
    /// The folder the command runs in.
    pub(crate) folder: &'a Path,
    pub(crate) overrides: &'a Overrides,
}

impl Cache {
    /// The result of a command, from the cache or by `compile`.
    ///
    /// A cache that cannot be read or written is as good as none: the result is right without it.
    pub(crate) fn fetch(
        &self,
        question: &Question<'_>,
        compile: impl FnOnce() -> Result<Compilation, Failure>,
    ) -> Result<Compilation, Failure> {
        let Self::In { folder, bytes } = self else { return compile() };
        let command = question.command_key();
        let list = folder.join(format!("{command:032x}.reads"));
        let entry = |dependencies: &Dependencies| {
            let key = question.contents_key(command, dependencies)?;
            Some(folder.join(format!("{key:032x}.ll")))
        };
        if let Some(dependencies) = read_entry(&list).and_then(|text| decode(&text))
            && let Some(text) = entry(&dependencies).and_then(|file| read_entry(&file))
        {
            return Ok(Compilation { text, dependencies, reused: true });
        }
        let fresh = compile()?;
        if let Some(file) = entry(&fresh.dependencies) {
            let written = write_entry(&file, &fresh.text)
                .and_then(|()| write_entry(&list, &encode(&fresh.dependencies)));
            if written.is_ok() {
                remove_oldest(folder, *bytes);
            }
        }
        Ok(fresh)
    }
}

impl Question<'_> {
    fn command_key(&self) -> u128 {
        let mut hash = Xxh3::new();
        part(&mut hash, FORMAT.as_bytes());
        part(&mut hash, self.folder.as_os_str().as_encoded_bytes());
        for word in &self.command {
            part(&mut hash, word);
        }
        // A file that is there only as another text may hide one that was read.
        for (path, text) in self.overrides.iter().filter(|(path, _)| !path.exists()) {
            part(&mut hash, path.as_os_str().as_encoded_bytes());
            part(&mut hash, text.as_bytes());
        }
        hash.digest128()
    }

    /// `None` if a file is no longer there, or a variable is no longer as it was.
    fn contents_key(&self, command: u128, dependencies: &Dependencies) -> Option<u128> {
        let mut hash = Xxh3::new();
        part(&mut hash, &command.to_le_bytes());
        for (name, value) in &dependencies.variables {
            if std::env::var(name).ok().as_ref() != value.as_ref() {
                return None;
            }
            part(&mut hash, name.as_bytes());
            part(&mut hash, value.as_deref().unwrap_or("").as_bytes());
        }
        for file in &dependencies.files {
            let path = absolute(self.folder, Path::new(file));
            part(&mut hash, file.as_bytes());
            match self.overrides.of(&path) {
                Some(text) => part(&mut hash, text.as_bytes()),
                None => part(&mut hash, &std::fs::read(&path).ok()?),
            }
        }
        Some(hash.digest128())
    }
}

/// One of several parts of what is hashed; with its length, so that parts cannot run together.
fn part(hash: &mut Xxh3, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// The hash of a text or of an object file.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

/// The text of an entry, unless it is missing or damaged.
fn read_entry(file: &Path) -> Option<String> {
    let whole = String::from_utf8(std::fs::read(file).ok()?).ok()?;
    let (hash, text) = whole.split_once('\n')?;
    (hash == digest(text.as_bytes())).then(|| text.to_owned())
}

fn write_entry(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(unfinished, "{}", digest(text.as_bytes()))?;
    unfinished.write_all(text.as_bytes())?;
    unfinished.persist(file)?;
    Ok(())
}

fn encode(dependencies: &Dependencies) -> String {
    serde_json::json!([dependencies.files, dependencies.variables]).to_string()
}

fn decode(text: &str) -> Option<Dependencies> {
    let (files, variables) = serde_json::from_str(text).ok()?;
    Some(Dependencies { files, variables })
}

/// Removes entries, those written first first, until the folder is small enough.
fn remove_oldest(folder: &Path, bytes: u64) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let about = entry.metadata().ok()?;
            about.is_file().then(|| Some((about.modified().ok()?, about.len(), entry.path())))?
        })
        .collect();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    files.sort();
    for (_, length, path) in files {
        if total <= bytes {
            return;
        }
        if std::fs::remove_file(path).is_ok() {
            total -= length;
        }
    }
}
