//! The built program from outside, as a user or another program meets it. One binary for all files: linking is what takes time.

mod cli;
mod code;
mod common;
mod convention;
mod datagen;
mod db;
mod db_kill;
mod disk_full;
mod files;
mod front;
mod learn;
mod learn_kill;
mod lines;
mod matches;
mod notation;
mod serve;
mod tables;
mod train;
mod uci;
mod xboard;
