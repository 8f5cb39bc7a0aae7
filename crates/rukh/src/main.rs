//! The Rukh command.
fn main() {}
