//! Two ways to run the same fuzz targets.
//!
//! libFuzzer watches which code an input reaches, and pays for it with every branch and, where there is C or `unsafe` below, with the
//! address sanitizer. A storm (`--cfg storm`) only mixes what libFuzzer has found before, at the speed of the program as it is used, but
//! with all assertions: many times as many inputs in the same time, on a stable compiler and without C++.

#[cfg(not(storm))]
pub use libfuzzer_sys::fuzz_target;

#[cfg(storm)]
mod storm;
#[cfg(storm)]
pub use storm::run;

/// The same form as libFuzzer's: a closure over bytes or over text.
#[cfg(storm)]
#[macro_export]
macro_rules! fuzz_target {
    (|$bytes:ident: &[u8]| $body:block) => {
        fn one($bytes: &[u8]) {
            $body
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn main() -> i32 {
            $crate::run(one)
        }
    };
    (|$text:ident: &str| $body:block) => {
        $crate::fuzz_target!(|bytes: &[u8]| {
            let whole = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let text = |$text: &str| $body;
            text(whole);
        });
    };
}
