//! EPD: a line is refused, or it writes and reads itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rukh_core::{Chess, Epd, Makruk, Rules};

fn check<R: Rules>(line: &str) {
    let Ok(epd) = Epd::<R>::parse(line) else { return };
    let written = epd.to_string();
    let again = Epd::<R>::parse(&written).unwrap_or_else(|error| panic!("own EPD '{written}' refused: {error}"));
    assert_eq!(again.to_string(), written);
}

fuzz_target!(|line: &str| {
    check::<Chess>(line);
    check::<Makruk>(line);
});
