//! Both routes from C to final states agree on generated programs.

mod comparison;
