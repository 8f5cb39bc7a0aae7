//! Any text as an EPD line of either game.
#![no_main]

use rukh_core::{Chess, Epd, Makruk, Rules};
use rukh_fuzz::fuzz_target;

fn check<R: Rules>(text: &str) {
    if let Ok(epd) = Epd::<R>::parse(text) {
        let written = epd.to_string();
        let again = Epd::<R>::parse(&written).expect("a written EPD can be read");
        assert_eq!(again.to_string(), written);
    }
}

fuzz_target!(|text: &str| {
    check::<Chess>(text);
    check::<Makruk>(text);
});
