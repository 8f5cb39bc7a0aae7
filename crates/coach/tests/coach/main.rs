//! Tests of the coach, one program.

mod puzzles;
mod reasons;
mod review;
