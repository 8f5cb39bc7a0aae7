//! Set-up, build, test and release tasks.
fn main() {}
