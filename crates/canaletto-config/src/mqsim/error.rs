//! Errors of MQSim's input files.

/// The rest is cut, so that one line stays one line.
const QUOTED_CHARS: usize = 60;

/// Error in one of MQSim's input files.
///
/// Displays as `ssdconfig.xml:17: <Flash_Channel_Count>: got "eight", expected an integer from 1 to 65535`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{label}:{line}: {}{problem}", place(.tag))]
pub struct XmlError {
    /// The file's name as the caller gave it.
    pub label: String,
    /// Line in the file, from 1.
    pub line: u32,
    /// The tag that is wrong; empty when it is the file as a whole.
    pub tag: String,
    /// Given value and allowed values.
    pub problem: String,
}

impl XmlError {
    /// Control characters are escaped, so that it displays as one line.
    pub fn new(label: &str, line: u32, tag: &str, problem: &str) -> Self {
        XmlError { label: one_line(label), line, tag: shortened(tag), problem: one_line(problem) }
    }
}

fn place(tag: &str) -> String {
    if tag.is_empty() { String::new() } else { format!("<{tag}>: ") }
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text.trim()))
}

pub(super) fn shortened(text: &str) -> String {
    let mut short = one_line(&text.chars().take(QUOTED_CHARS).collect::<String>());
    if text.chars().nth(QUOTED_CHARS).is_some() {
        short.push('…');
    }
    short
}

fn one_line(text: &str) -> String {
    // U+2028 and U+2029 break lines too, but are not control characters.
    let breaks = |c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}';
    text.chars().fold(String::new(), |mut line, c| {
        if breaks(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
        line
    })
}
