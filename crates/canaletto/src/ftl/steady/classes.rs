#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    class: usize,
    before: u32,
}

#[derive(Clone, Debug)]
pub struct Classes {
    runs: Vec<Run>,
    of_class: Vec<Vec<usize>>,
    members: Vec<u32>,
}

impl Classes {
    pub fn uniform(pages: u32) -> Classes {
        Classes::from_runs(1, &[(pages, 0)])
    }

    /// Pages and class of each run.
    pub fn from_runs(classes: usize, runs: &[(u32, usize)]) -> Classes {
        let mut made = Classes { runs: Vec::new(), of_class: vec![Vec::new(); classes], members: vec![0; classes] };
        let mut first = 0;
        for &(pages, class) in runs.iter().filter(|(pages, _)| *pages > 0) {
            made.of_class[class].push(made.runs.len());
            made.runs.push(Run { first, class, before: made.members[class] });
            made.members[class] += pages;
            first += pages;
        }
        made
    }

    pub fn members(&self) -> &[u32] {
        &self.members
    }

    #[inline(always)]
    pub fn rank(&self, page: u32) -> (usize, u32) {
        let run = match &self.runs[..] {
            [only] => only,
            runs => &runs[runs.partition_point(|run| run.first <= page) - 1],
        };
        (run.class, run.before + page - run.first)
    }

    #[inline]
    pub fn page(&self, class: usize, rank: u32) -> u32 {
        if let [only] = &self.runs[..] {
            return only.first + rank;
        }
        let own = &self.of_class[class];
        let run = self.runs[own[own.partition_point(|&run| self.runs[run].before <= rank) - 1]];
        run.first + rank - run.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_and_go_back() {
        let runs = [(7, 1), (0, 0), (5, 0), (3, 2), (4, 1), (1, 0)];
        let classes = Classes::from_runs(3, &runs);
        assert_eq!(classes.members(), [6, 11, 3]);
        let mut next = [0; 3];
        for (page, &class) in (0u32..).zip(runs.iter().flat_map(|(n, class)| std::iter::repeat_n(class, *n as usize))) {
            assert_eq!(classes.rank(page), (class, next[class]));
            assert_eq!(classes.page(class, next[class]), page);
            next[class] += 1;
        }
        assert_eq!(next, [6, 11, 3]);
    }
}
