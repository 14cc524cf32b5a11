//! Repairing programs: the cheapest fences after which TSO is no different from SC.
//!
//! [`mod@optimal`] is the algorithm, and says why it is right; it knows neither what is enforced
//! ([`checkers`]) nor what can be changed ([`decision`]), nor what anything costs ([`costs`]), nor which of
//! equally cheap repairs people prefer ([`preference`]).
//! [`esop13`] and [`esop15`] are the algorithms of the papers, to compare with.

pub mod checkers;
pub mod costs;
pub mod decision;
pub mod delayed;
pub mod esop13;
pub mod esop15;
pub mod explanation;
pub mod optimal;
pub mod preference;

pub use decision::{Decision, Kind, Positions};
pub use explanation::{Explanation, confirm, explain};
pub use optimal::{Outcome, Problem, Row, Solved, cheapest_repair};
pub use preference::preferences;
