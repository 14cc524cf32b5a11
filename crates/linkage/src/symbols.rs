//! Names of symbols as people write them.

/// What a function of C is called that a symbol stands for. Compilers mark a name that must be taken as it
/// is; on macOS such names begin with an underscore that C does not see, and end with what version is meant.
pub fn of_c(symbol: &str) -> &str {
    let name = match symbol.strip_prefix('\u{1}') {
        Some(marked) => marked.strip_prefix('_').unwrap_or(marked),
        None if symbol.starts_with("_pthread_") => &symbol[1..],
        None => symbol,
    };
    match name.split_once('$') {
        Some((plain, _)) if !plain.is_empty() => plain,
        Some(_) | None => name,
    }
}

/// A symbol for people: a path of Rust or a name of C.
pub fn readable(symbol: &str) -> String {
    llvm::demangled(symbol).unwrap_or_else(|| of_c(symbol).to_owned())
}

/// Whether the C library or the system defines a variable.
pub fn is_variable_of_c(name: &str) -> bool {
    matches!(
        name,
        "stdin"
            | "stdout"
            | "stderr"
            | "__stdinp"
            | "__stdoutp"
            | "__stderrp"
            | "optarg"
            | "optind"
            | "opterr"
            | "optopt"
            | "environ"
            | "__environ"
            | "program_invocation_name"
            | "program_invocation_short_name"
            | "timezone"
            | "daylight"
            | "tzname"
            | "__progname"
    ) || name.starts_with("__rust_")
        || name.starts_with("__dso_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_all_systems_are_names_of_c() {
        let table = [
            ("pthread_join", "pthread_join"),
            ("\u{1}_pthread_join", "pthread_join"),
            ("_pthread_join", "pthread_join"),
            ("\u{1}_fopen$UNIX2003", "fopen"),
            ("stat$INODE64", "stat"),
            ("\u{1}__exit", "_exit"),
            ("_exit", "_exit"),
            ("__assert_fail", "__assert_fail"),
            ("$", "$"),
        ];
        for (symbol, name) in table {
            assert_eq!(of_c(symbol), name, "{symbol:?}");
        }
    }
}
