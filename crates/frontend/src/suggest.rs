//! "Did you mean …?": the candidate most like a misspelt word.

/// The candidate that `word` is most likely a misspelling of, if any is close enough.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // A long word is nobody's misspelling of a short one, and comparing it would take for ever.
    if word.len() > 64 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, candidate)| {
            // Of three letters, two in the wrong order are not alike to the similarity.
            let one_slip = word.len() >= 3 && strsim::osa_distance(word, candidate) == 1;
            *similarity > 0.8 || one_slip
        })
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}
