//! What the cells are called in which the translation keeps how far a thread has come. Nobody wrote them, so
//! whoever tells a run to people tells what they mean.

/// How far a thread has come, by the name of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life<'n> {
    /// Whether it was created and may begin.
    Start(&'n str),
    /// Whether it has ended.
    End(&'n str),
}

const START: &str = "start of ";
const END: &str = "end of ";

/// What a cell says of a thread, if that is what it is for. No variable of a program has such a name.
pub fn life(cell: &str) -> Option<Life<'_>> {
    cell.strip_prefix(START).map(Life::Start).or_else(|| cell.strip_prefix(END).map(Life::End))
}

/// What the words of a thread are called, by their offsets.
pub(crate) fn word_name(thread: &str, at: u64) -> String {
    match at {
        0 => format!("{START}{thread}"),
        8 => format!("{END}{thread}"),
        16 => format!("argument of {thread}"),
        _ => format!("result of {thread}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_threads_are_known_by_their_names() {
        assert_eq!(life(&word_name("main:4[1]", 0)), Some(Life::Start("main:4[1]")));
        assert_eq!(life(&word_name("worker", 8)), Some(Life::End("worker")));
        assert_eq!(life(&word_name("worker", 24)), None);
        assert_eq!(life("end"), None);
    }
}
