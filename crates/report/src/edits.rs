//! What changes between two texts, as replacements that an editor can make.

use similar::DiffTag;

use crate::diff::{lines, operations};

/// Some bytes are replaced by a text. Offsets are those of the old text, so that edits are made from the last to
/// the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The first byte that is replaced.
    pub(crate) offset: usize,
    /// How many are.
    pub(crate) length: usize,
    /// What comes there.
    pub(crate) text: String,
}

/// Replacements of whole lines, in their order.
pub(crate) fn edits(old: &str, new: &str) -> Vec<Edit> {
    let (before, after) = (lines(old), lines(new));
    let starts = |lines: &[&str]| -> Vec<usize> {
        let ends = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old_at, new_at) = (starts(&before), starts(&after));
    operations(&before, &after)
        .iter()
        .filter(|operation| operation.tag() != DiffTag::Equal)
        .map(|operation| {
            let (from, to) = (operation.old_range(), operation.new_range());
            Edit {
                offset: old_at[from.start],
                length: old_at[from.end] - old_at[from.start],
                text: new[new_at[to.start]..new_at[to.end]].to_owned(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Edit, edits};

    /// The text that an editor would make.
    fn made(old: &str, edits: &[Edit]) -> String {
        let mut text = old.to_owned();
        for edit in edits.iter().rev() {
            text.replace_range(edit.offset..edit.offset + edit.length, &edit.text);
        }
        text
    }

    #[test]
    fn edits_make_the_new_text_of_the_old_one() {
        let texts = [
            "",
            "a",
            "a\n",
            "a\nb\n",
            "a\nfence\nb\n",
            "ä\r\nb\r\nc",
            "ä\r\nfence\r\nb\r\nc\r\n",
            "b\na\n",
        ];
        for old in texts {
            for new in texts {
                assert_eq!(made(old, &edits(old, new)), new, "{old:?} to {new:?}");
            }
        }
        let inserted = Edit { offset: 2, length: 0, text: "fence\n".to_owned() };
        assert_eq!(edits("a\nb\n", "a\nfence\nb\n"), [inserted]);
    }
}
