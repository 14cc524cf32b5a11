//! When and on what a benchmark ran.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Today as `2026-01-31`, in the time of Greenwich.
pub(crate) fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(now.as_secs() / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date so many days after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

/// The processor, as far as it can be found out.
pub(crate) fn processor() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("an unknown processor", |(_, model)| model.trim());
    model.to_owned()
}

/// The processor and the versions of what is measured, as far as they can be found out.
pub(crate) fn description() -> String {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let model = processor();
    let version = |command: &str, argument: &str| {
        let output = Command::new(command).arg(argument).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned())
    };
    let unknown = || "unknown version".to_owned();
    let spin = version("spin", "-V").unwrap_or_else(unknown);
    let gcc = version("gcc", "--version").unwrap_or_else(unknown);
    format!("{model}, {processors} processors; {spin}; {gcc}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_right_around_leap_days() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(19_782), (2024, 2, 29));
        assert_eq!(date(20_453), (2025, 12, 31));
        assert_eq!(date(20_454), (2026, 1, 1));
    }
}
