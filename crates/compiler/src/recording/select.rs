//! Which modules of a recording are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

use super::index::{Compile, INDEX, Line, Link, LinkInput, LinkMember, contents, read};
use crate::clang::Unit;
use crate::failure::listed;
use crate::place::{absolute, read_text};
use crate::request::Task;
use crate::whole::is_whole;
use crate::{Failure, Language, Module, Recording};

/// The modules of a recording, or of one of its programs; compiled `again`, with more flags, or as
/// they were recorded.
pub(crate) fn tasks(
    recording: &Recording,
    directory: &Path,
    flags: &[String],
    again: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Task>, Failure> {
    let folder = absolute(directory, &recording.folder);
    let lines = read(&folder)?;
    let book = Book::new(&lines);
    let wanted = match &recording.program {
        Some(program) => book.of_program(program, &recording.folder, notes)?,
        None => book.all(notes),
    };
    let mut tasks = Vec::new();
    for compile in wanted {
        let source = absolute(&compile.folder, &compile.source);
        let now = contents(&compile.folder, &compile.reads);
        // What is no longer there, as generated sources, can only be taken as it was.
        let has_changed = now.is_some() && now != compile.contents;
        let module = compile.module.as_ref().filter(|_| !again && !has_changed);
        if has_changed {
            let name = source.display();
            notes.push(format!("{name} has changed since it was recorded, and was compiled again"));
        }
        let kept = module.and_then(|module| read_text(&folder.join(module)).ok());
        // Of what was recorded without IR there may be some now; and if not, the reason is an error.
        let Some(text) = kept.filter(|text| is_whole(text)) else {
            let flags = compile.flags.iter().chain(flags).map(OsString::from).collect();
            tasks.push(Task::C(Unit {
                name: compile.object.clone(),
                source: compile.source.clone(),
                folder: compile.folder.clone(),
                flags,
                accepted: true,
            }));
            continue;
        };
        tasks.push(Task::Ready(Module {
            name: compile.object.clone(),
            language: Language::C,
            source: Some(compile.source.clone()),
            directory: compile.folder.clone(),
            text,
        }));
    }
    if tasks.is_empty() {
        let of = recording.folder.join(INDEX).to_string_lossy().into_owned();
        let reason = "nothing was compiled; was the build done already, or with another compiler?";
        return Err(Failure::Nothing { of, reason });
    }
    Ok(tasks)
}

/// The last line about each output, and about each object. An object is what one source made at one
/// place: some builds let the compiler write every object to the same place and move it from there.
struct Book<'a> {
    /// In the order of the last compilations.
    compiled: Vec<&'a Compile>,
    linked: BTreeMap<&'a str, &'a Link>,
}

impl<'a> Book<'a> {
    fn new(lines: &'a [Line]) -> Self {
        let mut last = BTreeMap::new();
        let mut linked = BTreeMap::new();
        for (number, line) in lines.iter().enumerate() {
            match line {
                Line::Compile(compile) => {
                    let source = absolute(&compile.folder, &compile.source);
                    last.insert((&compile.object, source), (number, compile));
                }
                Line::Link(link) => {
                    linked.insert(link.output.as_str(), link);
                }
            }
        }
        let compiled: BTreeMap<usize, &Compile> = last.into_values().collect();
        Self { compiled: compiled.into_values().collect(), linked }
    }

    /// All objects. Of those that differ only in being for a shared library, as libtool makes them,
    /// the last. What has left nothing behind, neither source nor object, was a try of some
    /// `configure`, unless the whole build is gone.
    fn all(&self, notes: &mut Vec<String>) -> Vec<&'a Compile> {
        let programs: Vec<&str> = self.linked.keys().copied().collect();
        let (present, gone): (Vec<_>, Vec<_>) =
            programs.into_iter().partition(|program| Path::new(program).exists());
        let programs = if present.is_empty() { gone } else { present };
        if programs.len() > 1 {
            let names = listed(&programs);
            notes.push(format!("several programs were linked; one of them can be chosen: {names}"));
        }
        let mut last = BTreeMap::new();
        for (number, compile) in self.compiled.iter().enumerate() {
            let source = absolute(&compile.folder, &compile.source);
            last.insert((source, plain_flags(compile)), number);
        }
        let kept: BTreeSet<usize> = last.into_values().collect();
        let kept = kept.into_iter().map(|number| self.compiled[number]);
        let (present, gone): (Vec<_>, Vec<_>) = kept.partition(|compile| {
            let source = absolute(&compile.folder, &compile.source);
            source.exists() || Path::new(&compile.object).exists()
        });
        if present.is_empty() { gone } else { present }
    }

    /// The objects of one program or library.
    fn of_program(
        &self,
        program: &str,
        recording: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Vec<&'a Compile>, Failure> {
        let fits = |output: &str| Path::new(output).ends_with(program);
        let found: Vec<_> = self.linked.values().filter(|link| fits(&link.output)).collect();
        let place = recording.display();
        match found.as_slice() {
            [link] => {
                let mut objects = Vec::new();
                self.follow(link, &mut BTreeSet::new(), &mut objects, notes);
                Ok(objects)
            }
            [] => Err(Failure::Choice {
                question: format!("{place}: no program '{program}' was linked"),
                among: self.linked.keys().map(|output| (*output).to_owned()).collect(),
            }),
            several => Err(Failure::Choice {
                question: format!("{place}: of several programs '{program}' one must be chosen"),
                among: several.iter().map(|link| link.output.clone()).collect(),
            }),
        }
    }

    fn follow(
        &self,
        link: &'a Link,
        followed: &mut BTreeSet<&'a str>,
        objects: &mut Vec<&'a Compile>,
        notes: &mut Vec<String>,
    ) {
        if !followed.insert(&link.output) {
            return;
        }
        for input in &link.inputs {
            if let Some(inner) = self.linked.get(input.path.as_str()) {
                self.follow(inner, followed, objects, notes);
                continue;
            }
            let found: Vec<_> = if input.members.is_empty() {
                self.object(input).into_iter().collect()
            } else {
                input.members.iter().filter_map(|member| self.member(input, member)).collect()
            };
            if found.is_empty() {
                notes.push(format!(
                    "{} is linked into {}, but nothing in it was recorded",
                    input.path, link.output
                ));
            }
            for object in found {
                if !objects.iter().any(|known| std::ptr::eq(*known, object)) {
                    objects.push(object);
                }
            }
        }
    }

    /// The object of that name and contents, or else of that name, or else one that has been moved.
    fn object(&self, input: &LinkInput) -> Option<&'a Compile> {
        let rated = self.compiled.iter().filter_map(|compile| {
            let named = compile.object == input.path;
            let same = input.hash.is_some() && compile.object_hash == input.hash;
            (named || same).then_some((named && same, named, compile))
        });
        rated.max_by_key(|(both, named, _)| (*both, *named)).map(|(_, _, compile)| *compile)
    }

    /// The object that was put into an archive: of that name and contents, or else of that name and
    /// nearest to the archive.
    fn member(&self, archive: &LinkInput, member: &LinkMember) -> Option<&'a Compile> {
        let name = Path::new(&member.name).file_name()?;
        let named = self
            .compiled
            .iter()
            .filter(|compile| Path::new(&compile.object).file_name() == Some(name));
        let rating = |compile: &&&Compile| {
            let same = member.hash.is_some() && compile.object_hash == member.hash;
            let (one, other) = (Path::new(&compile.object), Path::new(&archive.path));
            (same, one.iter().zip(other).take_while(|(one, other)| one == other).count())
        };
        named.max_by_key(rating).copied()
    }
}

/// The flags of a compilation without those for position-independent code.
fn plain_flags(compile: &Compile) -> Vec<&String> {
    let independent = ["-fPIC", "-fpic", "-DPIC", "-fPIE", "-fpie"];
    compile.flags.iter().filter(|flag| !independent.contains(&flag.as_str())).collect()
}
