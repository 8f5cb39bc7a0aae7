//! Tests of the coach, one program.

mod gaps;
mod puzzles;
mod reasons;
mod review;
mod themes;
