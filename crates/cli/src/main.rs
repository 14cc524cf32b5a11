//! fw
fn main() {}
