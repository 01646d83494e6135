//! Disjoint sets of numbers: variables and files that share storage.

/// Union-find; the representative is the smallest number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    above: Vec<usize>,
}

impl Classes {
    /// `count` numbers, each on its own.
    pub(crate) fn new(count: usize) -> Self {
        Classes {
            above: (0..count).collect(),
        }
    }

    /// The representative of a number's class.
    pub(crate) fn find(&mut self, number: usize) -> usize {
        let mut root = number;
        while self.above[root] != root {
            // Path halving (Tarjan and van Leeuwen, Worst-case Analysis of Set Union Algorithms,
            // 1984).
            self.above[root] = self.above[self.above[root]];
            root = self.above[root];
        }
        root
    }

    /// Makes two classes one.
    pub(crate) fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.above[a.max(b)] = a.min(b);
    }
}
