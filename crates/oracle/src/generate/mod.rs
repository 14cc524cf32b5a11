//! Programs to ask the oracle about: all tiny ones ([`tiny`]), random ones ([`random`]), those that
//! access the same bytes with different widths ([`across`]), and
//! smaller ones than a given one ([`shrink`]).

pub mod across;
pub mod cut_off;
pub mod random;
pub mod shrink;
pub mod straight;
pub mod tiny;

mod random_control;
mod random_question;
mod random_thread;
