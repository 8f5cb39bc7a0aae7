//! Tests of the coach, one program.

mod reasons;
