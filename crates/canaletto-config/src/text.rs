//! Tables of a configuration as text in places that have no names for their keys, such as snapshots of a drive.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::reader::read_text;

/// Writes a table as TOML.
pub fn serialize<T: Serialize, S: Serializer>(table: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&toml::to_string(table).map_err(S::Error::custom)?)
}

/// Reads it.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    read_text(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
