//! Text to a tree of tags that know their lines. Plain XML only: no DOCTYPE, no user-defined entities, no attributes,
//! as in MQSim.

use quick_xml::events::{BytesEnd, BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::error::{XmlError, quoted, shortened};

/// Bounds the tree, which takes up to 40 bytes per byte of text.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// The files need four levels.
pub(super) const MAX_DEPTH: usize = 8;

/// Text of a leaf, or tags of a section.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    pub line: u32,
    pub text: String,
    /// Of the first visible character; 0 if all is blank.
    pub text_line: u32,
    pub children: Vec<Element>,
    /// Of a closing tag written `</<Name>`; 0 otherwise.
    pub slip_line: u32,
    pub has_attributes: bool,
}

/// `root` serves only the messages.
pub(super) fn parse_tree(label: &str, xml: &str, root: &str) -> Result<Element, XmlError> {
    let whole = |problem: String| Err(XmlError::new(label, 1, "", &problem));
    if xml.len() > MAX_BYTES {
        return whole(format!("the file has {} bytes, expected at most {MAX_BYTES}", xml.len()));
    }
    // quick-xml skips a byte order mark without counting it, which would shift every position.
    let xml = xml.strip_prefix('\u{feff}').unwrap_or(xml);
    if xml.trim().is_empty() {
        return whole(format!("the file is empty, expected <{root}>"));
    }
    let mut tree = TreeBuilder { label, lines: Lines::new(xml), open: Vec::new(), root: None };
    tree.read(xml)?;
    match tree.root {
        Some(root) => Ok(root),
        None => whole(format!("no tag in the file, expected <{root}>")),
    }
}

/// LF, CR LF and a lone CR each end a line.
struct Lines<'a> {
    bytes: &'a [u8],
    position: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    fn new(xml: &'a str) -> Self {
        Lines { bytes: xml.as_bytes(), position: 0, line: 1 }
    }

    fn at(&mut self, position: usize) -> u32 {
        while self.position < position.min(self.bytes.len()) {
            let next = self.bytes.get(self.position + 1);
            match self.bytes[self.position] {
                b'\n' => self.line += 1,
                b'\r' if next != Some(&b'\n') => self.line += 1,
                _ => {}
            }
            self.position += 1;
        }
        self.line
    }
}

struct TreeBuilder<'a> {
    label: &'a str,
    lines: Lines<'a>,
    open: Vec<Element>,
    root: Option<Element>,
}

impl TreeBuilder<'_> {
    fn read(&mut self, xml: &str) -> Result<(), XmlError> {
        let mut reader = Reader::from_str(xml);
        // Closing tags are compared here, to name both lines and to know MQSim's slip.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        loop {
            let start = reader.buffer_position() as usize;
            let event = reader.read_event().map_err(|error| {
                let line = self.lines.at(reader.error_position() as usize);
                self.error(line, &format!("this is not well-formed XML: {error}"))
            })?;
            let line = self.lines.at(start);
            match event {
                Event::Eof => return self.end(),
                Event::Start(tag) => self.start_tag(&tag, line)?,
                Event::Empty(tag) => {
                    self.start_tag(&tag, line)?;
                    self.close(line)?;
                }
                Event::End(tag) => self.end_tag(&tag, line)?,
                Event::Text(text) => self.text(&String::from_utf8_lossy(&text), start)?,
                Event::CData(text) => self.text(&String::from_utf8_lossy(&text), start)?,
                Event::GeneralRef(name) => self.reference(&name, start)?,
                Event::DocType(_) => {
                    return Err(self.error(line, "a DOCTYPE is refused, expected none"));
                }
                Event::Decl(_) if self.root.is_some() || !self.open.is_empty() => {
                    return Err(self.error(line, "a second <?xml ...?>, expected it on top only"));
                }
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            }
        }
    }

    fn start_tag(&mut self, tag: &BytesStart, line: u32) -> Result<(), XmlError> {
        let name = String::from_utf8_lossy(tag.name().0).into_owned();
        if name.starts_with("<<<<<<") {
            return Err(self.error(line, "got \"<<<<<<<\", a merge conflict left in the file"));
        }
        if !is_name(&name) {
            let problem = format!("got the tag <{}>, expected a name in it", shortened(&name));
            return Err(self.error(line, &problem));
        }
        let attributes = String::from_utf8_lossy(tag.attributes_raw());
        let has_attributes = attributes.contains('=');
        if !has_attributes && !attributes.trim().is_empty() {
            let problem = format!("got {} inside the tag, expected nothing", quoted(&attributes));
            return Err(XmlError::new(self.label, line, &name, &problem));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(XmlError::new(self.label, line, &name, "a second outermost tag, expected one"));
        }
        if self.open.len() == MAX_DEPTH {
            let problem = format!("nested too deep, expected at most {MAX_DEPTH} tags in each other");
            return Err(XmlError::new(self.label, line, &name, &problem));
        }
        self.open.push(Element { name, line, has_attributes, ..Element::default() });
        Ok(())
    }

    fn end_tag(&mut self, tag: &BytesEnd, line: u32) -> Result<(), XmlError> {
        let name = String::from_utf8_lossy(tag.name().0).into_owned();
        let Some(open) = self.open.last_mut() else {
            let problem = format!("got </{}>, expected no closing tag here", shortened(&name));
            return Err(self.error(line, &problem));
        };
        let slip = open.children.is_empty() && name.strip_prefix('<') == Some(&open.name);
        if slip {
            open.slip_line = line;
        } else if name != open.name {
            let (got, opened) = (shortened(&name), open.line);
            let problem = format!("got </{got}>, expected </{}> (opened on line {opened})", shortened(&open.name));
            return Err(self.error(line, &problem));
        }
        self.close(line)
    }

    fn close(&mut self, line: u32) -> Result<(), XmlError> {
        let Some(done) = self.open.pop() else {
            return Err(self.error(line, "got a closing tag, expected none"));
        };
        if !done.children.is_empty() && done.text_line != 0 {
            let problem = format!("got {} between the tags, expected only tags", quoted(&done.text));
            return Err(XmlError::new(self.label, done.text_line, &done.name, &problem));
        }
        match self.open.last_mut() {
            Some(parent) => parent.children.push(done),
            None => self.root = Some(done),
        }
        Ok(())
    }

    fn text(&mut self, text: &str, start: usize) -> Result<(), XmlError> {
        let visible = text.trim_start();
        let line = self.lines.at(start + text.len() - visible.len());
        match self.open.last_mut() {
            Some(open) => {
                if open.text_line == 0 && !visible.is_empty() {
                    open.text_line = line;
                }
                open.text.push_str(text);
                Ok(())
            }
            None if visible.is_empty() => Ok(()),
            None => Err(self.error(line, &format!("got {} outside of all tags", quoted(visible)))),
        }
    }

    fn reference(&mut self, name: &BytesRef, start: usize) -> Result<(), XmlError> {
        let known = match &name[..] {
            b"lt" => Some('<'),
            b"gt" => Some('>'),
            b"amp" => Some('&'),
            b"apos" => Some('\''),
            b"quot" => Some('"'),
            _ => name.resolve_char_ref().ok().flatten(),
        };
        if let Some(character) = known {
            return self.text(character.encode_utf8(&mut [0; 4]), start);
        }
        let line = self.lines.at(start);
        let name = shortened(&String::from_utf8_lossy(name));
        let allowed = "expected only &lt; &gt; &amp; &apos; &quot; or a character's number";
        Err(self.error(line, &format!("got the entity \"&{name};\", {allowed}")))
    }

    fn end(&mut self) -> Result<(), XmlError> {
        match self.open.last() {
            None => Ok(()),
            Some(open) => Err(XmlError::new(self.label, open.line, &open.name, "opened here and never closed")),
        }
    }

    fn error(&self, line: u32, problem: &str) -> XmlError {
        let inside = self.open.last().map_or("", |open| &open.name);
        XmlError::new(self.label, line, inside, problem)
    }
}

fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_alphabetic() || c == '_';
    let later = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    name.starts_with(first) && name.chars().all(later)
}
