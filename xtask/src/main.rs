//! `cargo xtask <task>`: everything that is not `cargo build`.
//!
//! Plain Rust on the standard library, so that a fresh machine needs nothing but a Rust toolchain to start.
#![forbid(unsafe_code)]

mod ahead;
mod arm;
mod bench;
mod dist;
mod fuzz;
mod gate;
mod mutants;
mod pgo;
mod play;
mod prepare;
mod publish;
mod python;
mod referee;
mod report;
mod rooms;
mod scale;
mod sha256;
mod shell;
mod test;
mod trainers;
mod wasm;
mod web;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask <task>

  play [arguments]     install what is missing, build the engine and the page, and open the page in your browser
  play --terminal [arguments]  play in the terminal instead
  test [--long]        install what is missing and run every check and test (--long: the slow ones too; --only NAME: one step)
  build [--pgo]        build the release program for this machine (--pgo: profile-guided, built twice; needs rustup)
  bench [section …]    run the benchmarks and write docs/lab/benchmarks.md (--list: the sections; --quick: rough figures)
  page                 build the page in web/dist, and everything it needs
  wasm [--both]        build the npm package in web/engine: WebAssembly modules and JavaScript (--both: compare the modules
                       of rustup's and Debian's toolchains instead; RUKH_WASM_ROUTE=rustup or =debian chooses one)
  mutants [room …]     change the program here and there and see whether the tests notice (--every N: one change in N,
                       default 60; --file PATTERN: only there)
  python               build the Python wheel, install it in a fresh virtual environment and test it there (--release: fully
                       optimised, as for publishing; --bench: compare with python-chess)
  referee [options]    let python-chess and pyffish watch games for crashes, illegal moves and losses on time (--games N,
                       --variant chess,chess960,makruk, --load N, --nodes N, --clock 0.2+0.002, --log FILE; --help for all)
  publish --dry-run    pack every crate and build it from its package, as its users will (--pack: without building)
  dist [name …]        build what is released, or only what is named, in target/dist: archives for several systems
                       (profile-guided where this machine can), wheel, npm package, crates, SBOM, checksums (--quick: built
                       quickly, to try the packing; --try: unpack what is there and try it out)
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let result = match task.as_str() {
        "play" => play::run(&words),
        "test" => test::run(&words),
        "bench" => bench::run(&words),
        "build" => pgo::run(&words),
        "dist" => dist::run(&words),
        "mutants" => mutants::run(&words),
        "publish" => publish::run(&words),
        "python" => python::run_task(&words),
        "referee" => referee::run(&words),
        "wasm" => wasm::run(&words),
        "page" => web::build(),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no task '{other}'\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
