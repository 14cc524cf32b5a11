//! What fences and orders cost on a machine, from a file: `--costs FILE`, as the evaluation writes it.
//!
//! ```toml
//! [fences]
//! full = 30
//!
//! [orders]
//! acquire = 1
//! ```

use program::Order;

use super::cycles::{Kind, kind_cost, order_cost};

/// What a file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    pub(crate) kinds: Vec<(Kind, u64)>,
    pub(crate) orders: Vec<(Order, u64)>,
}

/// The costs in a file.
pub(crate) fn costs(path: &str) -> Result<Costs, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    from_text(&text)
}

fn from_text(text: &str) -> Result<Costs, String> {
    let tables: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let mut costs = Costs::default();
    for (table, entries) in &tables {
        let entries = entries.as_table().ok_or("there are the tables `[fences]` and `[orders]`")?;
        for (name, cost) in entries {
            // As on the command line, with the same errors.
            let entry = format!("{name}={cost}");
            let told = |error: String| format!("`{name} = {cost}` in `[{table}]`: {error}");
            match table.as_str() {
                "fences" => costs.kinds.push(kind_cost(&entry).map_err(told)?),
                "orders" => costs.orders.push(order_cost(&entry).map_err(told)?),
                other => return Err(format!("`[{other}]`: there are `[fences]` and `[orders]`")),
            }
        }
    }
    Ok(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_and_wrong_ones_are_errors() {
        let read = from_text("[fences]\nfull = 30\nstore-store = 2\n[orders]\nacq_rel = 4\n");
        let Costs { kinds, orders } = read.expect("costs");
        assert_eq!(kinds, [(Kind::Full, 30), (Kind::StoreStore, 2)]);
        assert_eq!(orders, [(Order::AcquireRelease, 4)]);
        for (text, expected) in [
            ("[fences]\nfull = 0\n", "`full = 0` in `[fences]`: a cost is a number from 1 to 1000"),
            ("[orders]\nrelaxed = 1\n", "there are `acquire`"),
            ("[locks]\nfull = 1\n", "`[locks]`: there are `[fences]` and `[orders]`"),
            ("fences = 1\n", "there are the tables"),
            ("[fences\n", "TOML parse error"),
        ] {
            let error = from_text(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
