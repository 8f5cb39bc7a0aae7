//! What the wheel promises is what it is built for. The tests of the package itself are in Python, beside this file.

/// The text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start:?}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} behind {start:?}")).0
}

#[test]
fn the_oldest_python_is_the_same_everywhere() {
    let project = include_str!("../pyproject.toml");
    let oldest = between(project, "requires-python = \">=3.", "\"");
    assert_eq!(between(include_str!("../Cargo.toml"), "\"abi3-py3", "\""), oldest);
    assert!(include_str!("../../../docs/python.md").contains(&format!("Python 3.{oldest} or later")));
}
