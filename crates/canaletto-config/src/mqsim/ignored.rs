//! Tags of MQSim's files without any effect, and the line of each tag.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

/// Tag that MQSim ignores, or reads otherwise than it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Line in the file, from 1.
    pub line: u32,
    /// The tag's name.
    pub tag: Cow<'static, str>,
    /// Case.
    pub kind: IgnoredKind,
    /// Why, in a few words that follow "ignored as MQSim does:".
    pub reason: Cow<'static, str>,
}

impl Ignored {
    /// Whether the file says something else than is simulated.
    pub fn is_warning(&self) -> bool {
        matches!(self.kind, IgnoredKind::Unknown | IgnoredKind::ReadAs)
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: <{}>: {}", self.line, self.tag, self.reason)
    }
}

/// Reason for a tag in the list of [`Ignored`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoredKind {
    /// MQSim reads the tag, but no result depends on it.
    NoEffect,
    /// MQSim's shipped files hold the tag, but its parser does not read it.
    NotRead,
    /// MQSim's parser does not have the tag, and unknown tags are ignored.
    Unknown,
    /// MQSim reads another value in it than it says: `65540` is 4 where it keeps 16 bits.
    ReadAs,
    /// The value counts; only its closing tag is written `</<Name>`, as in a file that MQSim ships and reads.
    Mended,
}

/// For errors that are only found later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagLines(pub(super) Vec<(&'static str, u32)>);

impl TagLines {
    /// From 1; `None` if the tag is absent.
    pub fn line_of(&self, tag: &str) -> Option<u32> {
        self.0.iter().find(|(name, _)| *name == tag).map(|(_, line)| *line)
    }
}
