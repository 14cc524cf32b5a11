//! IR of files that have not changed.
//!
//! Two steps, as in ccache. The *command* (compiler, flags, folder, environment) has a key, under
//! which stands the list of files that the compiler read last time. That key and the present
//! contents of those files make a second key, under which stands the text. So a changed header is
//! noticed, and going back to an older text, or comparing with an overridden one, is not a miss. A
//! new file that would be read instead of one of the list is noticed too (`hidden`).
//!
//! What is kept must be what the compiler makes of these contents. So a file that was changed while
//! the compiler ran makes it run again, and who wanted the text says when it has understood it to its
//! end ([`crate::Compiled::keep`]); one that nobody understands is forgotten.
//!
//! Keys are 128 bits of XXH3 (`xxhash-rust`: no dependencies, fast also on large headers). Nobody
//! gains by a collision in their own cache, so it need not be cryptographic, and by chance there is
//! none. Every entry carries the hash of its text, so a damaged one is found and made again. Files
//! are written under another name and renamed, so that nobody reads half of one, and any number of
//! processes can share a cache.

mod hidden;
pub(crate) mod usage;

use std::borrow::Cow;
use std::io::Write as _;
use std::path::{Path, PathBuf};
#[cfg(not(unix))]
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3;

use crate::Failure;
use crate::dependencies::Dependencies;
use crate::overrides::Overrides;
use crate::place::absolute;
pub use usage::Usage;

/// Changed whenever the meaning of an entry changes.
const FORMAT: &str = "fencewright-ir 3";

/// How often something is compiled whose files change meanwhile, or of which only a part is written.
const TRIES: usize = 3;

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

    /// The user's cache: the folder that `FENCEWRIGHT_CACHE` names, `$XDG_CACHE_HOME/fencewright` or
    /// `~/.cache/fencewright`, or none if no variable is set.
    pub fn usual() -> Self {
        let folder = |variable| {
            std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let named = std::env::var_os("FENCEWRIGHT_CACHE").filter(|name| !name.is_empty());
        if let Some(named) = named.and_then(|name| std::path::absolute(name).ok()) {
            return Self::at(named);
        }
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
    /// Where it is kept or is to be kept; nowhere if it cannot be.
    pub(crate) entry: Option<Entry>,
}

/// A place for one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whether the text was there.
    pub(crate) was_there: bool,
    file: PathBuf,
    list: PathBuf,
    dependencies: Dependencies,
    bytes: u64,
}

impl Entry {
    /// Keeps a text.
    ///
    /// A cache that cannot be written is as good as none: the result is right without it.
    pub(crate) fn keep(&self, text: &str) {
        if self.was_there {
            return;
        }
        let written = write_entry(&self.file, text)
            .and_then(|()| write_entry(&self.list, &encode(&self.dependencies)));
        if let (Ok(()), Some(folder)) = (written, self.file.parent()) {
            usage::remove_oldest(folder, self.bytes);
        }
    }

    /// Removes the text.
    pub(crate) fn forget(&self) {
        // Somebody else may have removed it.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A command, and what is needed to tell whether its result would be the same.
pub(crate) struct Question<'a> {
    /// All that is not a file: compiler, flags, environment.
    pub(crate) command: Vec<&'a [u8]>,
    /// The folder the command runs in.
    pub(crate) folder: &'a Path,
    /// The source, as seen from the folder.
    pub(crate) source: &'a Path,
    /// Where else than beside the files that were read others are looked for.
    pub(crate) search: Vec<PathBuf>,
    pub(crate) overrides: &'a Overrides,
}

impl Cache {
    /// The result of a command, from the cache or by `compile`.
    pub(crate) fn fetch(
        &self,
        question: &Question<'_>,
        compile: impl Fn() -> Result<Compilation, Failure>,
    ) -> Result<Compilation, Failure> {
        let command = question.command_key();
        let entry = |dependencies: &Dependencies, was_there| {
            let Self::In { folder, bytes } = self else { return None };
            let key = question.contents_key(command, dependencies)?;
            Some(Entry {
                was_there,
                file: folder.join(format!("{key:032x}.ll")),
                list: folder.join(format!("{command:032x}.reads")),
                dependencies: dependencies.clone(),
                bytes: *bytes,
            })
        };
        let mut known = vec![question.source.to_string_lossy().into_owned()];
        if let Self::In { folder, .. } = self
            && let Some(list) = read_entry(&folder.join(format!("{command:032x}.reads")))
            && let Some(dependencies) = decode(&list)
        {
            if let Some(entry) = entry(&dependencies, true)
                && let Some(text) = read_entry(&entry.file)
            {
                return Ok(Compilation { text, dependencies, entry: Some(entry) });
            }
            known.extend(dependencies.files);
        }
        let mut tries = 1;
        loop {
            let before = question.contents(&known);
            let begun = Moment::now();
            let fresh = match compile() {
                // A compiler that was ended, or had no room, may do better.
                Err(Failure::Nothing { .. }) if tries < TRIES => {
                    tries += 1;
                    continue;
                }
                made => made?,
            };
            let entry = entry(&fresh.dependencies, false);
            let is_same = before == question.contents(&known)
                && !question.has_changed_since(&begun, &fresh.dependencies);
            if is_same {
                return Ok(Compilation { entry, ..fresh });
            }
            if tries == TRIES {
                return Ok(fresh);
            }
            tries += 1;
        }
    }
}

impl Question<'_> {
    fn command_key(&self) -> u128 {
        let mut hash = Xxh3::new();
        part(&mut hash, FORMAT.as_bytes());
        part(&mut hash, self.folder.as_os_str().as_encoded_bytes());
        part(&mut hash, self.source.as_os_str().as_encoded_bytes());
        for word in &self.command {
            part(&mut hash, word);
        }
        // A file that is there only as another text may hide one that was read.
        for (path, text) in self.overrides.iter().filter(|(path, _)| !path.exists()) {
            part(&mut hash, path.as_os_str().as_encoded_bytes());
            part(&mut hash, text);
        }
        hash.digest128()
    }

    /// `None` if a file is no longer there, or a variable is no longer as it was, or it is not known
    /// which other files matter.
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
        let mut hidden = hidden::Hidden::new(&self.search);
        for file in &dependencies.files {
            let path = absolute(self.folder, Path::new(file));
            let bytes = self.bytes_of(&path)?;
            part(&mut hash, file.as_bytes());
            part(&mut hash, &bytes);
            hidden.add(&path, &bytes)?;
        }
        for path in hidden.present() {
            part(&mut hash, path.as_os_str().as_encoded_bytes());
        }
        Some(hash.digest128())
    }

    fn bytes_of(&self, path: &Path) -> Option<Cow<'_, [u8]>> {
        match self.overrides.of(path) {
            Some(text) => Some(Cow::Borrowed(text)),
            None => std::fs::read(path).ok().map(Cow::Owned),
        }
    }

    /// What is in these files now.
    fn contents(&self, files: &[String]) -> Vec<Option<String>> {
        let of = |file: &String| self.bytes_of(&absolute(self.folder, Path::new(file)));
        files.iter().map(|file| of(file).map(|bytes| digest(&bytes))).collect()
    }

    /// Whether a file that was read has been written since. Which files are read is known only
    /// afterwards, so that the times have to tell.
    fn has_changed_since(&self, begun: &Moment, dependencies: &Dependencies) -> bool {
        let paths = dependencies.files.iter().map(|file| absolute(self.folder, Path::new(file)));
        let mut own = paths.filter(|path| self.overrides.of(path).is_none());
        own.any(|path| path.metadata().is_ok_and(|about| Moment::of_change(&about) >= *begun))
    }
}

/// A time by the clock that files have theirs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(i64, i64);

impl Moment {
    /// The time of a file that is made now; it may lag behind other clocks.
    fn now() -> Self {
        let made = tempfile::tempfile().and_then(|file| file.metadata());
        made.map_or(Self(i64::MAX, 0), |about| Self::of_change(&about))
    }

    /// When a file was last written, or put in its place.
    #[cfg(unix)]
    fn of_change(about: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(about.ctime(), about.ctime_nsec())
    }

    /// When a file was last written.
    #[cfg(not(unix))]
    fn of_change(about: &std::fs::Metadata) -> Self {
        let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let since = written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos().into())
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
