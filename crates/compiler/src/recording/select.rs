//! Which modules of a recording are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::index::{Compile, INDEX, Line, Link, LinkInput, LinkMember, read};
use crate::cache::digest;
use crate::clang::Unit;
use crate::place::{absolute, read_text};
use crate::request::Task;
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
        if let Some(failure) = &compile.failure {
            notes.push(format!("{} was recorded without LLVM IR: {failure}", compile.object));
            continue;
        }
        let Some(module) = &compile.module else { continue };
        if again {
            let flags = compile.flags.iter().chain(flags).map(OsString::from).collect();
            tasks.push(Task::C(Unit {
                name: compile.object.clone(),
                source: compile.source.clone(),
                folder: compile.folder.clone(),
                flags,
                accepted: true,
            }));
            continue;
        }
        let source = absolute(&compile.folder, &compile.source);
        let now = std::fs::read(&source).ok().map(|bytes| digest(&bytes));
        if now.is_some() && now != compile.source_hash {
            notes.push(format!("{} has changed since it was recorded", source.display()));
        }
        tasks.push(Task::Ready(Module {
            name: compile.object.clone(),
            language: Language::C,
            source: Some(compile.source.clone()),
            directory: compile.folder.clone(),
            text: read_text(&folder.join(module))?,
        }));
    }
    if tasks.is_empty() {
        let of = recording.folder.join(INDEX).to_string_lossy().into_owned();
        let reason = "nothing was compiled; was the build done already, or with another compiler?";
        return Err(Failure::Nothing { of, reason });
    }
    Ok(tasks)
}

/// The last line about each object and about each output.
struct Book<'a> {
    compiled: BTreeMap<&'a str, &'a Compile>,
    /// The objects in the order in which they were last compiled.
    order: Vec<&'a str>,
    linked: BTreeMap<&'a str, &'a Link>,
}

impl<'a> Book<'a> {
    fn new(lines: &'a [Line]) -> Self {
        let mut book =
            Self { compiled: BTreeMap::new(), order: Vec::new(), linked: BTreeMap::new() };
        for line in lines {
            match line {
                Line::Compile(compile) => {
                    if book.compiled.insert(&compile.object, compile).is_some() {
                        book.order.retain(|object| *object != compile.object);
                    }
                    book.order.push(&compile.object);
                }
                Line::Link(link) => {
                    book.linked.insert(&link.output, link);
                }
            }
        }
        book
    }

    /// All objects. Of those that differ only in being for a shared library, as libtool makes them,
    /// the last.
    fn all(&self, notes: &mut Vec<String>) -> Vec<&'a Compile> {
        let mut programs: Vec<_> = self.linked.keys().copied().collect();
        if programs.len() > 1 {
            programs.sort_unstable();
            let names = programs.join(", ");
            notes.push(format!("several programs were linked; one of them can be chosen: {names}"));
        }
        let mut last: BTreeMap<(PathBuf, Vec<&String>), &str> = BTreeMap::new();
        for object in &self.order {
            let compile = self.compiled[object];
            last.insert((absolute(&compile.folder, &compile.source), plain_flags(compile)), object);
        }
        let kept: BTreeSet<&str> = last.into_values().collect();
        self.order
            .iter()
            .filter(|object| kept.contains(**object))
            .map(|o| self.compiled[o])
            .collect()
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
        let [link] = found.as_slice() else {
            let all = || self.linked.values().map(|link| link.output.clone()).collect();
            let place = recording.display();
            let (question, among) = match found.as_slice() {
                [] => (format!("{place}: no program '{program}' was linked"), all()),
                several => (
                    format!(
                        "{place}: several programs are called '{program}'; name more of the path"
                    ),
                    several.iter().map(|link| link.output.clone()).collect(),
                ),
            };
            return Err(Failure::Choice { question, among });
        };
        let mut objects = Vec::new();
        self.follow(link, &mut BTreeSet::new(), &mut objects, notes);
        Ok(objects.into_iter().map(|object| self.compiled[object]).collect())
    }

    fn follow(
        &self,
        link: &'a Link,
        followed: &mut BTreeSet<&'a str>,
        objects: &mut Vec<&'a str>,
        notes: &mut Vec<String>,
    ) {
        if !followed.insert(&link.output) {
            return;
        }
        let mut add = |object: &'a str| {
            if !objects.contains(&object) {
                objects.push(object);
            }
        };
        for input in &link.inputs {
            let found: Vec<_> = if input.members.is_empty() {
                self.object(input).into_iter().collect()
            } else {
                input.members.iter().filter_map(|member| self.member(input, member)).collect()
            };
            if found.is_empty() && !self.linked.contains_key(input.path.as_str()) {
                notes.push(format!(
                    "{} is linked into {}, but nothing in it was recorded",
                    input.path, link.output
                ));
            }
            found.into_iter().for_each(&mut add);
        }
        for input in &link.inputs {
            if let Some(inner) = self.linked.get(input.path.as_str()) {
                self.follow(inner, followed, objects, notes);
            }
        }
    }

    /// The object of that name, or one that has been moved.
    fn object(&self, input: &LinkInput) -> Option<&'a str> {
        let named = self.compiled.get_key_value(input.path.as_str()).map(|(object, _)| *object);
        let same = |object: &&&str| {
            input.hash.is_some() && self.compiled[**object].object_hash == input.hash
        };
        named.or_else(|| self.order.iter().rev().find(same).copied())
    }

    /// The object that was put into an archive: of that name and contents, or else of that name and
    /// nearest to the archive.
    fn member(&self, archive: &LinkInput, member: &LinkMember) -> Option<&'a str> {
        let name = Path::new(&member.name).file_name()?;
        let named =
            self.order.iter().rev().filter(|object| Path::new(object).file_name() == Some(name));
        let near = |object: &str| {
            let (one, other) = (Path::new(object), Path::new(&archive.path));
            one.iter().zip(other.iter()).take_while(|(one, other)| one == other).count()
        };
        let same = |object: &str| {
            member.hash.is_some() && self.compiled[object].object_hash == member.hash
        };
        named.max_by_key(|object| (same(object), near(object))).copied()
    }
}

/// The flags of a compilation without those for position-independent code.
fn plain_flags(compile: &Compile) -> Vec<&String> {
    let independent = ["-fPIC", "-fpic", "-DPIC", "-fPIE", "-fpie"];
    compile.flags.iter().filter(|flag| !independent.contains(&flag.as_str())).collect()
}
