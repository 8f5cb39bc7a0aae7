//! A link as a picture for a terminal, or opened at once.

use std::process::{Command, Stdio};

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

/// The QR code of a link, for the camera of a telephone; `None` for a text that is too long for one.
pub fn link_picture(link: &str) -> Option<String> {
    Some(QrCode::new(link).ok()?.render::<Dense1x2>().build())
}

/// Opens a link in this computer's browser; whether one could be started.
pub fn open_browser(link: &str) -> bool {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let quiet = || Stdio::null();
    Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_link_fits_a_terminal() {
        let token = "x".repeat(64);
        let link = format!("https://[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535/?token={token}");
        let picture = link_picture(&link).unwrap();
        let widths: Vec<usize> = picture.lines().map(|line| line.chars().count()).collect();
        // A square with its white margin; two of its rows are one of the terminal.
        assert!(widths.iter().all(|&w| w == widths[0]) && widths[0] <= 80, "{widths:?}");
        assert_eq!(widths.len(), widths[0].div_ceil(2));
        assert_ne!(picture, link_picture(&link.replace('x', "y")).unwrap());
    }
}
