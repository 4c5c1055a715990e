//! Translation pages, numbered after the host's logical pages.
//!
//! Their entries are DFTL's global translation directory. Each stream has its own.
//!
//! For mapping units larger than a page, read "unit" for "logical page".

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directory {
    pub first_page: u64,
    pub pages: u64,
    pub first_translation: u64,
    pub per_page: u64,
}

impl Directory {
    pub fn number(&self, lpa: u64) -> u64 {
        (lpa - self.first_page) / self.per_page
    }

    pub fn logical(&self, number: u64) -> u64 {
        self.first_translation + number
    }

    pub fn translation_pages(&self) -> u64 {
        self.pages.div_ceil(self.per_page)
    }

    pub fn entries(&self, number: u64) -> u64 {
        self.per_page.min(self.pages - number * self.per_page)
    }

    /// Within its translation page.
    pub fn group(&self, lpa: u64, size: u64) -> std::ops::Range<u64> {
        let number = self.number(lpa);
        let page = self.first_page + number * self.per_page;
        let first = page + (lpa - page) / size * size;
        first..(first + size).min(page + self.entries(number))
    }
}

/// In the order of their pages.
pub fn stream_of(directories: &[Directory], lpa: u64) -> usize {
    if directories.len() == 1 { 0 } else { directories.partition_point(|d| d.first_page <= lpa) - 1 }
}

pub fn stream_of_translation(directories: &[Directory], lpa: u64) -> usize {
    directories.partition_point(|d| d.first_translation <= lpa) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_entry_has_its_page(first_page in 0u64..50, pages in 1u64..200, per_page in 1u64..40, size in 1u64..50) {
            let directory = Directory { first_page, pages, first_translation: 1000, per_page };
            let mut counted = vec![0; directory.translation_pages() as usize];
            for lpa in first_page..first_page + pages {
                let number = directory.number(lpa);
                counted[number as usize] += 1;
                let group = directory.group(lpa, size);
                prop_assert!(group.contains(&lpa) && group.end - group.start <= size);
                prop_assert!(group.start >= first_page && group.end <= first_page + pages);
                prop_assert!(group.clone().all(|l| directory.number(l) == number && directory.group(l, size) == group));
            }
            let expected: Vec<u64> = (0..directory.translation_pages()).map(|n| directory.entries(n)).collect();
            prop_assert_eq!(counted, expected);
        }
    }

    #[test]
    fn pages_belong_to_the_stream_that_begins_before_them() {
        let at = |first_page, first_translation| Directory { first_page, pages: 10, first_translation, per_page: 4 };
        let directories = [at(0, 20), at(10, 23)];
        assert_eq!([0, 9, 10, 19].map(|lpa| stream_of(&directories, lpa)), [0, 0, 1, 1]);
        assert_eq!([20, 22, 23, 25].map(|lpa| stream_of_translation(&directories, lpa)), [0, 0, 1, 1]);
    }
}
