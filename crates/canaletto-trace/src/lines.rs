//! Bytes into lines, in one buffer of fixed size.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter};

/// Without its line feed. No trace format comes near; binary files pass it at once.
pub const LONGEST_LINE: usize = 64 << 10;

/// A longest line and its line feed always fit.
const CAPACITY: usize = 256 << 10;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const HEAD: usize = 128;

/// Not blank, without its line end (LF or CRLF).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a [u8],
    /// Only the last line of a trace may lack a line feed.
    pub(crate) ended: bool,
}

#[derive(Debug)]
pub(crate) enum LineFault {
    /// More than [`LONGEST_LINE`] bytes without a line feed.
    TooLong,
    /// Complete lines have been given out.
    Read(io::Error),
}

#[derive(Debug)]
enum Source {
    Open,
    /// Final, even if the file has grown since.
    Ended,
    Failed(Option<io::Error>),
}

struct Span {
    text: Range<usize>,
    after: usize,
    ended: bool,
}

pub(crate) struct Lines {
    bytes: Box<dyn Read + Send>,
    source: Source,
    buffer: Box<[u8]>,
    /// Unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Known to hold no line feed, so that slow sources are not searched again and again.
    searched: usize,
    number: u64,
}

impl Lines {
    pub(crate) fn new(bytes: Box<dyn Read + Send>) -> Self {
        let buffer = vec![0; CAPACITY].into_boxed_slice();
        Self { bytes, source: Source::Open, buffer, start: 0, end: 0, searched: 0, number: 0 }
    }

    /// Of the last line, from 1; 0 before the first.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn held(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Some programs put it before UTF-8.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        while self.held().len() < BYTE_ORDER_MARK.len() && self.is_open() {
            self.refill();
        }
        if self.held().starts_with(BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
        }
    }

    /// Not blank; `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, LineFault> {
        while let Some(span) = self.find()? {
            self.take(&span);
            if !is_blank(&self.buffer[span.text.clone()]) {
                return Ok(Some(Line { text: without_cr(&self.buffer[span.text]), ended: span.ended }));
            }
        }
        Ok(None)
    }

    /// Before any line: as many as a few records of any binary format.
    pub(crate) fn head(&mut self) -> &[u8] {
        while self.held().len() < HEAD && self.is_open() {
            self.refill();
        }
        &self.held()[..self.held().len().min(HEAD)]
    }

    /// As a line, for formats without lines; fewer, not `ended`, where the trace ends.
    pub(crate) fn chunk(&mut self, bytes: usize) -> Result<Option<Line<'_>>, LineFault> {
        while self.held().len() < bytes && self.is_open() {
            self.refill();
        }
        if self.held().len() < bytes {
            self.find_last()?;
        }
        let text = self.start..self.end.min(self.start + bytes);
        if text.is_empty() {
            return Ok(None);
        }
        let span = Span { after: text.end, ended: text.len() == bytes, text };
        self.take(&span);
        Ok(Some(Line { text: &self.buffer[span.text], ended: span.ended }))
    }

    #[cold]
    pub(crate) fn skip_long_line(&mut self) {
        self.number += 1;
        self.searched = 0;
        loop {
            if let Some(at) = memchr(b'\n', self.held()) {
                self.start += at + 1;
                return;
            }
            self.start = self.end;
            if !self.is_open() {
                return;
            }
            self.refill();
        }
    }

    pub(crate) fn skip_blank(&mut self) -> Result<(), LineFault> {
        while let Some(span) = self.find()?.filter(|span| is_blank(&self.buffer[span.text.clone()])) {
            self.take(&span);
        }
        Ok(())
    }

    /// The next `wanted` lines without taking them; blank lines before them are taken.
    ///
    /// By content alone, not by how fast a pipe delivers it.
    pub(crate) fn sample(&mut self, wanted: usize) -> Result<Vec<Line<'_>>, LineFault> {
        self.skip_blank()?;
        while memchr_iter(b'\n', self.held()).count() < wanted && self.held().len() < CAPACITY && self.is_open() {
            self.refill();
        }
        let mut pieces: Vec<&[u8]> = self.held().split(|byte| *byte == b'\n').collect();
        let whole = pieces.len() - 1;
        // Text after the last line feed is a line only if nothing can follow it.
        if !matches!(self.source, Source::Ended) {
            pieces.pop();
        }
        let lines = pieces.into_iter().take(wanted).enumerate();
        let lines = lines.filter(|(_, text)| !is_blank(text));
        Ok(lines.map(|(i, text)| Line { text: without_cr(text), ended: i < whole }).collect())
    }

    #[inline]
    fn find(&mut self) -> Result<Option<Span>, LineFault> {
        loop {
            let from = self.start + self.searched;
            if let Some(at) = memchr(b'\n', &self.buffer[from..self.end]) {
                let text = self.start..from + at;
                return if text.len() > LONGEST_LINE {
                    Err(LineFault::TooLong)
                } else {
                    Ok(Some(Span { after: text.end + 1, text, ended: true }))
                };
            }
            self.searched = self.end - self.start;
            if self.searched > LONGEST_LINE {
                return Err(LineFault::TooLong);
            }
            if !self.is_open() {
                return self.find_last();
            }
            self.refill();
        }
    }

    #[cold]
    fn find_last(&mut self) -> Result<Option<Span>, LineFault> {
        if let Source::Failed(error) = &mut self.source {
            let error = error.take().unwrap_or_else(|| io::Error::other("the trace failed to read before"));
            return Err(LineFault::Read(error));
        }
        let text = self.start..self.end;
        Ok((!text.is_empty()).then_some(Span { after: text.end, text, ended: false }))
    }

    fn take(&mut self, span: &Span) {
        self.start = span.after;
        self.searched = 0;
        self.number += 1;
    }

    fn is_open(&self) -> bool {
        matches!(self.source, Source::Open)
    }

    /// There must be room behind the held bytes.
    #[cold]
    fn refill(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        match self.bytes.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.source = Source::Ended,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.source = Source::Failed(Some(error)),
        }
    }
}

#[inline]
fn is_blank(text: &[u8]) -> bool {
    // The first byte settles it for all but odd lines.
    !matches!(text.first(), Some(first) if first.is_ascii_graphic()) && text.iter().all(u8::is_ascii_whitespace)
}

#[inline]
fn without_cr(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One per read; `None` fails.
    struct Parts(Vec<Option<&'static [u8]>>);

    impl Read for Parts {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let part = self.0.remove(0).ok_or_else(|| io::Error::other("broken"))?;
            into[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    fn lines(parts: &[Option<&'static [u8]>]) -> Lines {
        Lines::new(Box::new(Parts(parts.to_vec())))
    }

    fn next(lines: &mut Lines) -> Option<(String, bool, u64)> {
        let found = lines.next().unwrap().map(|l| (String::from_utf8(l.text.to_vec()).unwrap(), l.ended));
        found.map(|(text, ended)| (text, ended, lines.number()))
    }

    #[test]
    fn lines_may_end_in_either_way_and_be_split_anywhere() {
        let mut lines = lines(&[Some(b"o"), Some(b"ne\r"), Some(b"\n\n \t\r\ntwo\n"), Some(b"thr"), Some(b"ee")]);
        assert_eq!(next(&mut lines), Some(("one".into(), true, 1)));
        assert_eq!(next(&mut lines), Some(("two".into(), true, 4)));
        assert_eq!(next(&mut lines), Some(("three".into(), false, 5)));
        assert_eq!(next(&mut lines), None);
        assert_eq!(next(&mut lines), None);
    }

    #[test]
    fn whole_lines_come_before_a_failure_and_half_ones_never() {
        let mut lines = lines(&[Some(b"one\ntw"), None]);
        assert_eq!(next(&mut lines), Some(("one".into(), true, 1)));
        assert!(matches!(lines.next(), Err(LineFault::Read(e)) if e.to_string() == "broken"));
        assert!(matches!(lines.next(), Err(LineFault::Read(_))), "a failure is not an end");
        assert_eq!(lines.number(), 1);
    }

    #[test]
    fn a_sample_takes_nothing_but_leading_blank_lines() {
        let mut lines = lines(&[Some(b"\n \none\n"), Some(b"\ntwo\nthree\nfo"), Some(b"ur")]);
        let texts = |s: Vec<Line<'_>>| s.iter().map(|l| l.text.to_vec()).collect::<Vec<_>>();
        assert_eq!(texts(lines.sample(2).unwrap()), [b"one"], "two line feeds: one line and a blank");
        assert_eq!(texts(lines.sample(9).unwrap()), [&b"one"[..], b"two", b"three", b"four"]);
        assert_eq!(next(&mut lines), Some(("one".into(), true, 3)));
    }

    #[test]
    fn the_longest_line_passes_and_one_byte_more_does_not() {
        let longest = [&vec![b'x'; LONGEST_LINE][..], b"\n"].concat();
        let mut lines = Lines::new(Box::new(io::Cursor::new(longest.clone())));
        assert_eq!(lines.next().unwrap().unwrap().text.len(), LONGEST_LINE);
        let mut lines = Lines::new(Box::new(io::Cursor::new([b"x", &longest[..]].concat())));
        assert!(matches!(lines.next(), Err(LineFault::TooLong)));
    }
}
