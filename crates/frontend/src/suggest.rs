//! Finding the word that was meant.

/// No word that anybody means is longer, and comparing words takes time.
const LONGEST_WORD: usize = 40;

/// The candidate that `word` is most likely a misspelling of, if it is near enough to any. Of
/// equally near ones the first.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let word = word.to_lowercase();
    let length = word.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            // One slip in three letters; a change of every letter is no misspelling.
            *distance <= length.max(3) / 3 && *distance < candidate.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let candidates = ["write", "read", "lock", "unlock", "=="];
        let check = |word: &str, meant| assert_eq!(did_you_mean(word, candidates), meant, "{word}");
        check("wirte", Some("write"));
        check("Read", Some("read"));
        check("unlok", Some("unlock"));
        check("=", Some("=="));
        check("fence", None);
        check("", None);
        check(&"x".repeat(1 << 20), None);
    }
}
