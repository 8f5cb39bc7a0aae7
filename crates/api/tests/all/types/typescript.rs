//! As much of TypeScript as declares messages, and a look whether a message is what was declared.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rukh_api::Json;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Text,
    Number,
    Flag,
    Null,
    Unknown,
    Literal(String),
    List(Box<Type>),
    Tuple(Vec<Type>),
    Record(Box<Type>),
    /// Name, whether it may be absent, type.
    Object(Vec<(String, bool, Type)>),
    Union(Vec<Type>),
    Both(Vec<Type>),
    Named(String),
    /// A declaration less some of its fields.
    Omit(Box<Type>, Vec<String>),
    /// A function: nothing that could be sent.
    Code,
}

/// The declarations of some files, and which of their fields messages have had.
#[derive(Default)]
pub struct Declarations {
    types: BTreeMap<String, Type>,
    seen: RefCell<BTreeSet<String>>,
}

impl Declarations {
    pub fn read(&mut self, text: &str) {
        let mut words = Words { list: split(text), at: 0 };
        while let Some(word) = words.next() {
            match word.as_str() {
                "interface" => {
                    let name = words.take();
                    let mut parts = Vec::new();
                    while words.skip("extends") || words.skip(",") {
                        parts.push(words.simple());
                    }
                    parts.push(words.simple());
                    self.types.insert(name, Type::Both(parts));
                }
                "type" if words.peek(1) == "=" => {
                    let name = words.take();
                    words.take();
                    let declared = words.any();
                    self.types.insert(name, declared);
                }
                _ => {}
            }
        }
    }

    pub fn get(&self, name: &str) -> &Type {
        self.types.get(name).unwrap_or_else(|| panic!("{name} is not declared"))
    }

    /// All fields of an object type, with those of what it extends.
    pub fn fields(&self, declared: &Type) -> Option<Vec<(String, bool, Type)>> {
        Some(match declared {
            Type::Object(fields) => fields.clone(),
            Type::Named(name) => self.fields(self.get(name))?,
            Type::Both(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.fields(part)?);
                }
                all
            }
            Type::Omit(inner, names) => {
                let mut fields = self.fields(inner)?;
                fields.retain(|(name, ..)| !names.contains(name));
                fields
            }
            _ => return None,
        })
    }

    /// Says what is wrong with a message, and where.
    pub fn check(&self, declared: &Type, value: &Json, path: &str) -> Result<(), String> {
        let wrong = || Err(format!("{path}: {value:?} is not {declared:?}"));
        let all = |items: &[Json], inner: &Type| {
            items.iter().enumerate().try_for_each(|(n, item)| self.check(inner, item, &format!("{path}[{n}]")))
        };
        match (declared, value) {
            (Type::Unknown, _) | (Type::Text, Json::Text(_)) | (Type::Number, Json::Number(_)) => Ok(()),
            (Type::Flag, Json::Bool(_)) | (Type::Null, Json::Null) => Ok(()),
            (Type::Literal(wanted), Json::Text(text)) if wanted == text => Ok(()),
            (Type::List(inner), Json::List(items)) => all(items, inner),
            (Type::Tuple(types), Json::List(items)) if types.len() == items.len() => {
                types.iter().zip(items).try_for_each(|(inner, item)| self.check(inner, item, path))
            }
            (Type::Record(inner), Json::Object(members)) => {
                members.iter().try_for_each(|(name, item)| self.check(inner, item, &format!("{path}.{name}")))
            }
            (Type::Union(types), _) => {
                let errors: Vec<_> = types.iter().map_while(|inner| self.check(inner, value, path).err()).collect();
                // That which came furthest is the one that was meant.
                let deepest = || errors.iter().max_by_key(|error| error.find(':')).cloned().unwrap_or_default();
                if errors.len() < types.len() { Ok(()) } else { Err(deepest()) }
            }
            (Type::Both(parts), _) if parts.iter().any(|part| matches!(part, Type::Union(_))) => {
                // One of the union, with all the rest.
                let (unions, rest): (Vec<Type>, Vec<Type>) =
                    parts.iter().cloned().partition(|part| matches!(part, Type::Union(_)));
                let Some(Type::Union(types)) = unions.into_iter().next() else { return wrong() };
                let whole = |one: Type| Type::Both(rest.iter().cloned().chain([one]).collect());
                self.check(&Type::Union(types.into_iter().map(whole).collect()), value, path)
            }
            (Type::Named(name), _) if self.fields(declared).is_none() => self.check(self.get(name), value, path),
            (_, Json::Object(members)) => {
                let Some(fields) = self.fields(declared) else { return wrong() };
                if let Some((name, _)) = members.iter().find(|(name, _)| fields.iter().all(|(field, ..)| field != name))
                {
                    return Err(format!("{path}: the types have no {name}"));
                }
                for (name, optional, inner) in &fields {
                    match members.iter().find(|(member, _)| member == name) {
                        Some((_, item)) => self.check(inner, item, &format!("{path}.{name}"))?,
                        None if *optional => continue,
                        None => return Err(format!("{path}: there is no {name}")),
                    }
                    if let Type::Named(of) = declared {
                        self.seen.borrow_mut().insert(format!("{of}.{name}"));
                    }
                }
                Ok(())
            }
            _ => wrong(),
        }
    }

    /// Fields of these types that no message has had.
    pub fn unseen(&self, names: &[&str]) -> Vec<String> {
        let fields = |name: &str| self.fields(&Type::Named(name.into())).unwrap_or_default();
        let all =
            names.iter().flat_map(|name| fields(name).into_iter().map(move |(field, ..)| format!("{name}.{field}")));
        all.filter(|field| !self.seen.borrow().contains(field)).collect()
    }
}

/// Words, strings and signs; comments are left out.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = |stop: &str| rest[1..].find(stop).map_or(rest.len(), |at| at + 1 + stop.len());
        let length = match first {
            '/' if rest.starts_with("/*") => end("*/"),
            '/' if rest.starts_with("//") => end("\n"),
            '"' => end("\""),
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() && first != '/' {
            words.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    words
}

struct Words {
    list: Vec<String>,
    at: usize,
}

impl Words {
    fn next(&mut self) -> Option<String> {
        self.at += 1;
        self.list.get(self.at - 1).cloned()
    }

    fn take(&mut self) -> String {
        self.next().expect("the declaration goes on")
    }

    fn peek(&self, ahead: usize) -> &str {
        self.list.get(self.at + ahead).map_or("", String::as_str)
    }

    fn skip(&mut self, word: &str) -> bool {
        let here = self.peek(0) == word;
        self.at += usize::from(here);
        here
    }

    fn any(&mut self) -> Type {
        self.skip("|");
        let mut list = vec![self.intersection()];
        while self.skip("|") {
            list.push(self.intersection());
        }
        if list.len() == 1 { list.remove(0) } else { Type::Union(list) }
    }

    fn intersection(&mut self) -> Type {
        let mut list = vec![self.simple()];
        while self.skip("&") {
            list.push(self.simple());
        }
        if list.len() == 1 { list.remove(0) } else { Type::Both(list) }
    }

    fn simple(&mut self) -> Type {
        let word = self.take();
        let mut found = match word.as_str() {
            "readonly" => return self.simple(),
            "string" => Type::Text,
            "number" => Type::Number,
            "boolean" => Type::Flag,
            "null" => Type::Null,
            "unknown" => Type::Unknown,
            "{" => self.object(),
            "(" => self.group(),
            "[" => self.tuple(),
            _ if word.starts_with('"') => Type::Literal(word.trim_matches('"').to_owned()),
            _ if self.skip("<") => {
                let mut inner = vec![self.any()];
                while self.skip(",") {
                    inner.push(self.any());
                }
                self.skip(">");
                let names = |names: &Type| match names {
                    Type::Literal(name) => vec![name.clone()],
                    _ => Vec::new(),
                };
                match word.as_str() {
                    "Record" => Type::Record(Box::new(inner.remove(1))),
                    "Omit" => Type::Omit(Box::new(inner[0].clone()), names(&inner[1])),
                    _ => Type::Code,
                }
            }
            _ => Type::Named(word),
        };
        while self.peek(0) == "[" && self.peek(1) == "]" {
            self.at += 2;
            found = Type::List(Box::new(found));
        }
        found
    }

    /// Parentheses: a type, or the arguments of a function.
    fn group(&mut self) -> Type {
        if self.peek(0) == ")" || matches!(self.peek(1), ":" | "?") {
            self.arguments();
            return Type::Code;
        }
        let inner = self.any();
        self.skip(")");
        inner
    }

    /// The rest of a function, behind its opening parenthesis.
    fn arguments(&mut self) {
        let mut depth = 1;
        while depth > 0 {
            let word = self.take();
            depth += i32::from(word == "(") - i32::from(word == ")");
        }
        if self.skip("=") {
            self.skip(">");
            self.any();
        }
    }

    fn tuple(&mut self) -> Type {
        let mut list = Vec::new();
        while !self.skip("]") {
            if self.peek(1) == ":" {
                self.at += 2;
            }
            list.push(self.any());
            self.skip(",");
        }
        Type::Tuple(list)
    }

    fn object(&mut self) -> Type {
        let mut fields = Vec::new();
        while !self.skip("}") {
            if self.skip(";") || self.skip(",") || self.skip("readonly") {
                continue;
            }
            let name = self.take();
            if self.skip("<") {
                while !self.skip(">") {
                    self.at += 1;
                }
            }
            if self.skip("(") {
                self.arguments();
            }
            let optional = self.skip("?");
            self.skip(":");
            fields.push((name, optional, self.any()));
        }
        Type::Object(fields)
    }
}
