//! Values of TOML read as configurations. Errors name their key. One reader for all keeps the compiled code small.

use std::fmt::{self, Display, Formatter};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

/// Reads a value.
///
/// # Errors
/// A value that does not fit the type, in serde's words.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Unreadable> {
    T::deserialize(Reader(value))
}

/// Reads a text.
///
/// # Errors
/// Text that is no TOML, or does not fit the type.
pub fn read_text<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    read(&Value::Table(table)).map_err(|error| error.to_string())
}

/// Why a value cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    message: String,
    /// The innermost first.
    path: Vec<String>,
}

impl Unreadable {
    /// Dotted; empty for the whole.
    pub fn key(&self) -> String {
        let names: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        names.join(".")
    }

    /// The message, in serde's words.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn within(mut self, name: impl ToString) -> Unreadable {
        self.path.push(name.to_string());
        self
    }
}

impl Error for Unreadable {
    fn custom<T: Display>(message: T) -> Unreadable {
        Unreadable { message: message.to_string(), path: Vec::new() }
    }
}

impl Display for Unreadable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.path.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.key(), self.message),
        }
    }
}

impl std::error::Error for Unreadable {}

struct Reader<'a>(&'a Value);

impl Reader<'_> {
    fn unfit(&self, expected: &str) -> Unreadable {
        match self.0 {
            Value::Table(_) => Unreadable::custom(format_args!("got a table, expected {expected}")),
            Value::Array(_) => Unreadable::custom(format_args!("got a list, expected {expected}")),
            plain => Unreadable::custom(format_args!("got {plain}, expected {expected}")),
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::Boolean(given) => visitor.visit_bool(*given),
            Value::Integer(given) => visitor.visit_i64(*given),
            Value::Float(given) => visitor.visit_f64(*given),
            Value::String(given) => visitor.visit_borrowed_str(given),
            Value::Datetime(given) => visitor.visit_string(given.to_string()),
            Value::Array(items) => visitor.visit_seq(Entries { items: items.iter(), next: 0 }),
            Value::Table(table) => visitor.visit_map(Keys { entries: table.iter(), value: None }),
        }
    }

    /// A list is an error: most types would take it for their keys' values.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::Table(table) => visitor.visit_map(Keys { entries: table.iter(), value: None }),
            _ => Err(self.unfit("a table")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.as_str().into_deserializer()),
            _ => Err(self.unfit(&format!("one of `{}`", names.join("`, `")))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

struct Entries<'a> {
    items: std::slice::Iter<'a, Value>,
    next: usize,
}

impl<'de> SeqAccess<'de> for Entries<'de> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let place = self.next;
        self.next += 1;
        seed.deserialize(Reader(item)).map(Some).map_err(|error| error.within(place))
    }
}

struct Keys<'a> {
    entries: toml::map::Iter<'a, String, Value>,
    /// The key whose value comes next.
    value: Option<(&'a str, &'a Value)>,
}

impl<'de> MapAccess<'de> for Keys<'de> {
    type Error = Unreadable;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(|error: Unreadable| error.within(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Unreadable> {
        let (key, value) = self.value.take().expect("a key comes before its value");
        seed.deserialize(Reader(value)).map_err(|error| error.within(key))
    }
}
