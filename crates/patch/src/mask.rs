//! Parts of C that the grammar does not know, replaced by others of the same length.
//!
//! Only the parser sees the replacement; all offsets stay what they are. `_Atomic(int) x` is parsed
//! as `_Atomic int  x`, and `_Thread_local` as `__thread`. What is replaced inside of a string or a
//! comment stays one.

use std::borrow::Cow;

/// The text to give to the parser.
pub(crate) fn for_grammar(text: &str) -> Cow<'_, str> {
    const ATOMIC: &str = "_Atomic";
    const THREAD_LOCAL: (&str, &str) = ("_Thread_local", "__thread     ");
    let mut masked = Cow::Borrowed(text);
    if text.contains(THREAD_LOCAL.0) {
        masked = Cow::Owned(text.replace(THREAD_LOCAL.0, THREAD_LOCAL.1));
    }
    for (at, _) in text.match_indices(ATOMIC) {
        let behind = at + ATOMIC.len();
        let open = behind + (text[behind..].len() - text[behind..].trim_start().len());
        if let Some(close) = closing(text, open) {
            let masked = masked.to_mut();
            masked.replace_range(open..=open, " ");
            masked.replace_range(close..=close, " ");
        }
    }
    masked
}

/// Where the parenthesis that is opened at an offset is closed.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then_some(at);
        }
    }
    None
}
