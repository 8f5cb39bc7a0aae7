//! The secret that lets other computers in.

use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

use crate::page::html;

/// 128 bits of the system's randomness, as 32 hexadecimal digits.
#[derive(Clone)]
pub struct Token {
    text: String,
    cookie: String,
    /// Whether the cookie may travel over encrypted connections only.
    secure: bool,
}

/// What a request shows.
pub enum Shown {
    /// The token, in a cookie or header.
    Token,
    /// The token in a link: it is to be kept as a cookie.
    Link,
    /// None.
    Nothing,
    /// A wrong one.
    Wrong,
}

impl Token {
    /// A new one; `None` if the system has no randomness. Cookies do not know ports, so the cookie's name does.
    pub fn new(port: u16, secure: bool) -> Option<Token> {
        let mut bytes = [0; 16];
        SystemRandom::new().fill(&mut bytes).ok()?;
        let text = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Token { text, cookie: format!("rukh-{port}"), secure })
    }

    /// The token itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn is(&self, text: &str) -> bool {
        self.text.as_bytes().ct_eq(text.as_bytes()).into()
    }

    /// Looks for the token where it may be: `Authorization: Bearer`, the cookie, `?token=`.
    pub fn shown(&self, uri: &Uri, headers: &HeaderMap) -> Shown {
        let texts = |name| headers.get_all(name).iter().filter_map(|value: &HeaderValue| value.to_str().ok());
        let bearer = texts(header::AUTHORIZATION).filter_map(|text| text.strip_prefix("Bearer "));
        let cookies = texts(header::COOKIE).flat_map(|text| text.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.cookie).then_some(value)
        });
        let link = uri.query().into_iter().flat_map(|query| query.split('&'));
        let mut link = link.filter_map(|pair| pair.strip_prefix("token="));
        let mut wrong = false;
        for text in bearer.chain(cookies) {
            if self.is(text.trim()) {
                // Who comes by the link again is led away from it again.
                return if link.next().is_some() { Shown::Link } else { Shown::Token };
            }
            wrong = true;
        }
        match link.next() {
            Some(text) if self.is(text) => Shown::Link,
            None if !wrong => Shown::Nothing,
            _ => Shown::Wrong,
        }
    }

    /// Gives the browser its cookie and leads it to the page. Not by a redirection: a browser sends a strict cookie only to what
    /// a page of the same site has asked for, and whoever follows a link in a mail comes from another.
    pub fn welcome(&self) -> Response {
        let mut response = html(StatusCode::OK, WELCOME);
        let secure = if self.secure { "; Secure" } else { "" };
        let cookie =
            format!("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000{secure}", self.cookie, self.text);
        let headers = response.headers_mut();
        for (name, text) in [(header::SET_COOKIE, cookie), (header::REFRESH, "0;url=/".into())] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(name, value);
            }
        }
        response
    }
}

const WELCOME: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Rukh</title><p><a href=/>The page</a>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_in_three_ways_and_no_other() {
        let token = Token::new(8373, false).unwrap();
        let other = Token::new(8373, false).unwrap();
        assert!(token.text().len() == 32 && token.text() != other.text());
        let shown = |query: &str, name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
            token.shown(&format!("/{query}").parse().unwrap(), &headers)
        };
        let (good, bad) = (token.text(), other.text());
        assert!(matches!(shown("", "authorization", &format!("Bearer {good}")), Shown::Token));
        assert!(matches!(shown("", "cookie", &format!("a=b; rukh-8373={good}")), Shown::Token));
        assert!(matches!(shown(&format!("?a=1&token={good}"), "accept", "*"), Shown::Link));
        assert!(matches!(shown("", "cookie", &format!("rukh-8374={good}")), Shown::Nothing));
        for text in [bad, "", &good[..31], &format!("{good}0")] {
            assert!(matches!(shown("", "authorization", &format!("Bearer {text}")), Shown::Wrong), "{text}");
            assert!(matches!(shown(&format!("?token={text}"), "accept", "*"), Shown::Wrong), "{text}");
        }
        // A link that is right makes up for the cookie of an earlier start.
        assert!(matches!(shown(&format!("?token={good}"), "cookie", &format!("rukh-8373={bad}")), Shown::Link));
    }
}
