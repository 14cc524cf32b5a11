//! Fences written in assembly. What else a statement does is not looked at: it may read and write where
//! its operands point to, and what it names. If it says that it touches memory (`"memory"`), it may read and
//! write all that can be reached from there, and all that other such statements and external code know.

use llvm::Asm;
use program::FenceKind;

/// What a statement of assembly is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// Nothing for the machine.
    Empty,
    /// A fence and nothing else.
    Fence(FenceKind),
    /// Something that reads and writes at once by a locked instruction of x86.
    Locked,
    /// Anything that its operands permit.
    Anything,
}

/// Whether a statement says that it touches memory beyond its operands.
pub(crate) fn touches_memory(asm: &Asm) -> bool {
    asm.constraints.contains("~{memory}")
}

/// The words of a statement that may be names of variables.
pub(crate) fn words(asm: &Asm) -> impl Iterator<Item = &str> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let words = asm.text.split(move |one: char| !is_part(one));
    words.filter(|word| word.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_'))
}

/// What a statement is.
pub(crate) fn statement(asm: &Asm) -> Statement {
    let text = asm.text.to_ascii_lowercase();
    let lines: Vec<&str> = text
        .split(['\n', ';'])
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with('.'))
        .collect();
    let only: Vec<&str> = lines.iter().copied().filter(|line| !is_idle(line)).collect();
    match only[..] {
        [] => Statement::Empty,
        [line] => match fence(line) {
            Some(fence) => Statement::Fence(fence),
            None if line.starts_with("lock") && is_stack_fence(line) => {
                Statement::Fence(FenceKind::Full)
            }
            None if is_locked(line) => Statement::Locked,
            None => Statement::Anything,
        },
        ["lock", line] if is_stack_fence(line) => Statement::Fence(FenceKind::Full),
        ["lock", ..] => Statement::Locked,
        [..] => Statement::Anything,
    }
}

fn is_idle(line: &str) -> bool {
    matches!(line, "pause" | "nop" | "yield" | "rep" | "rep nop" | "or 27,27,27" | "wfe" | "sev")
}

fn is_locked(line: &str) -> bool {
    line.starts_with("lock ") || line.starts_with("xchg")
}

/// The old way to write a full fence on x86: a locked operation that changes nothing on the stack.
fn is_stack_fence(line: &str) -> bool {
    let line = line.strip_prefix("lock").map_or(line, str::trim_start);
    (line.starts_with("add") || line.starts_with("or"))
        && (line.contains("(%rsp)") || line.contains("(%esp)") || line.contains("[rsp]"))
        && line.contains('0')
}

fn fence(line: &str) -> Option<FenceKind> {
    let mut words = line.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    let (mnemonic, rest): (_, Vec<&str>) = (words.next()?, words.collect());
    Some(match (mnemonic, &rest[..]) {
        ("mfence" | "sync" | "hwsync" | "dmb" | "dsb" | "fence", [])
        | ("dmb" | "dsb", ["sy" | "ish" | "osh"]) => FenceKind::Full,
        ("lwsync" | "fence.tso", []) => FenceKind::Lightweight,
        ("sfence" | "eieio", []) | ("dmb" | "dsb", ["st" | "ishst" | "oshst"]) => {
            FenceKind::StoreStore
        }
        ("lfence", []) => FenceKind::LoadLoad,
        ("dmb" | "dsb", ["ld" | "ishld" | "oshld"]) => FenceKind::Acquire,
        ("isync" | "fence.i", []) | ("isb", _) => FenceKind::Control,
        ("fence", [before, after]) => {
            let both = |text: &str, one: char| text.contains(one);
            let (reads, writes) = (both(before, 'r'), both(before, 'w'));
            match (reads, writes, both(after, 'r'), both(after, 'w')) {
                (true, true, true, true) => FenceKind::Full,
                (true, true, false, true) => FenceKind::Release,
                (true, false, true, true) => FenceKind::Acquire,
                (true, false, true, false) => FenceKind::LoadLoad,
                (false, true, false, true) => FenceKind::StoreStore,
                (false, true, true, false) => FenceKind::StoreLoad,
                (true, false, false, true) => FenceKind::LoadStore,
                _ => return None,
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_known_by_their_names() {
        let table = [
            ("mfence", Statement::Fence(FenceKind::Full)),
            ("", Statement::Empty),
            ("pause", Statement::Empty),
            ("dmb ish", Statement::Fence(FenceKind::Full)),
            ("dmb\tishst", Statement::Fence(FenceKind::StoreStore)),
            ("lwsync", Statement::Fence(FenceKind::Lightweight)),
            ("fence rw, w", Statement::Fence(FenceKind::Release)),
            ("fence w,w", Statement::Fence(FenceKind::StoreStore)),
            ("lock; addl $$0,0(%rsp)", Statement::Fence(FenceKind::Full)),
            ("lock orl $$0, (%rsp)", Statement::Fence(FenceKind::Full)),
            ("lock xaddl $0, $1", Statement::Locked),
            ("xchgl $0, $1", Statement::Locked),
            ("movl $1, $0", Statement::Anything),
            ("addl $$0, 0(%rsp)", Statement::Anything),
            ("mfence; movl $1, $0", Statement::Anything),
        ];
        for (text, expected) in table {
            let asm = Asm {
                text: text.to_owned(),
                constraints: String::new(),
                side_effect: true,
                intel: false,
            };
            assert_eq!(statement(&asm), expected, "{text}");
        }
    }
}
