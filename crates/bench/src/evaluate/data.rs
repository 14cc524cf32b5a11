//! What the papers say, and which programs stand for theirs.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Everything in `published.toml`.
#[derive(Deserialize)]
pub(crate) struct Published {
    pub(crate) esop13: Vec<Esop13>,
    pub(crate) esop15: Vec<Esop15>,
    pub(crate) esop15_fig16: Vec<Family>,
    pub(crate) cav14_fig10: Vec<Figure10>,
    pub(crate) cav14_fig11: Vec<Figure11>,
}

/// A row of ESOP'13, Table 2.
#[derive(Deserialize)]
pub(crate) struct Esop13 {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) set: BTreeMap<String, i64>,
    /// T, L, I, RQ, NR1, NR2, R, F.
    pub(crate) columns: [String; 8],
    /// Spin, Ver, Real.
    pub(crate) times: [String; 3],
}

/// Fences and seconds of a tool.
pub(crate) type FencesAndSeconds = [String; 2];

/// A row of ESOP'15, Table 1.
#[derive(Deserialize)]
pub(crate) struct Esop15 {
    pub(crate) name: String,
    pub(crate) processes: u32,
    pub(crate) file: String,
    pub(crate) set: BTreeMap<String, i64>,
    pub(crate) persist: FencesAndSeconds,
    pub(crate) trencher: FencesAndSeconds,
    pub(crate) musketeer: FencesAndSeconds,
    pub(crate) memorax: FencesAndSeconds,
    pub(crate) remmex: FencesAndSeconds,
}

/// A family of ESOP'15, Fig. 16.
#[derive(Deserialize)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) file: String,
    /// The constant that the number of processes decides.
    pub(crate) constant: String,
    /// How many processes it stands for,
    pub(crate) per: u32,
    /// without so many.
    pub(crate) less: u32,
}

impl Family {
    /// The constants of the member with so many processes.
    pub(crate) fn set(&self, processes: u32) -> BTreeMap<String, i64> {
        BTreeMap::from([(self.constant.clone(), i64::from((processes - self.less) / self.per))])
    }
}

/// A column of CAV'14, Fig. 10.
#[derive(Deserialize)]
pub(crate) struct Figure10 {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) lines: u32,
    pub(crate) dfence: FencesAndSeconds,
    pub(crate) memorax: FencesAndSeconds,
    pub(crate) musketeer: FencesAndSeconds,
    pub(crate) offence: FencesAndSeconds,
    pub(crate) pensieve: FencesAndSeconds,
    pub(crate) remmex: FencesAndSeconds,
    pub(crate) trencher: FencesAndSeconds,
}

/// A row of CAV'14, Fig. 11.
#[derive(Deserialize)]
pub(crate) struct Figure11 {
    pub(crate) name: String,
    pub(crate) lines: u32,
    pub(crate) nodes: u32,
    pub(crate) tso: FencesAndSeconds,
    pub(crate) power: FencesAndSeconds,
}

/// The data.
pub(crate) fn published() -> Published {
    toml::from_str(include_str!("published.toml")).unwrap_or_else(|error| panic!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_papers_and_their_programs_are_there() {
        let all = published();
        let counts = [
            (all.esop13.len(), 16),
            (all.esop15.len(), 35),
            (all.esop15_fig16.len(), 8),
            (all.cav14_fig10.len(), 11),
            (all.cav14_fig11.len(), 10),
        ];
        assert!(counts.iter().all(|(found, expected)| found == expected), "{counts:?}");
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let files = all.esop13.iter().map(|row| &row.file);
        let files = files.chain(all.esop15.iter().map(|row| &row.file));
        let files = files.chain(all.esop15_fig16.iter().map(|row| &row.file));
        for file in files.chain(all.cav14_fig10.iter().map(|row| &row.file)) {
            assert!(corpus.join(file).exists(), "{file}");
        }
        // RQ = NR1 + NR2 + R, as the paper says.
        for row in &all.esop13 {
            let number = |at: usize| row.columns[at].parse::<u32>().expect("a number");
            assert_eq!(number(3), number(4) + number(5) + number(6), "{}", row.name);
        }
        // The sums that the paper's text gives: 54 fences against 119, and 44 against 62.
        let sums = |other: fn(&Esop15) -> &FencesAndSeconds| {
            let both = all.esop15.iter().filter_map(|row| {
                let ours = row.persist[0].parse::<u32>().ok()?;
                Some((ours, other(row)[0].parse::<u32>().ok()?))
            });
            both.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
        };
        assert_eq!(sums(|row| &row.musketeer), (54, 119));
        assert_eq!(sums(|row| &row.trencher), (44, 62));
    }
}
