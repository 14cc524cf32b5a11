//! Names of functions without a body, as people write them.

use llvm::{Function, LocalId, Operation, Value};

/// What a function of C is called that a symbol stands for. Compilers mark a name that must be taken as it
/// is; on macOS such names begin with an underscore that C does not see, and end with what version is meant.
pub(crate) fn of_c(symbol: &str) -> &str {
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
pub(crate) fn readable(symbol: &str) -> String {
    llvm::demangled(symbol).unwrap_or_else(|| of_c(symbol).to_owned())
}

/// Whether a function does nothing with one of its parameters: at most it is put where nobody reads it.
pub(crate) fn is_ignored(function: &Function, parameter: LocalId) -> bool {
    let mut variables = Vec::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Operation::Store { value, address, volatile: false, ordering: None, .. } =
            &instruction.operation
            && value.value == Value::Local(parameter)
            && let Value::Local(variable) = address.value
        {
            variables.push(variable);
        }
    }
    let mut uses = 0;
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let mut count = |local: LocalId| {
            uses += usize::from(local == parameter || variables.contains(&local));
        };
        crate::uses::for_each_use(&instruction.operation, &mut count);
        crate::uses::for_each_incoming(&instruction.operation, &mut count);
    }
    // Each such store mentions two of them.
    uses == 2 * variables.len()
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
