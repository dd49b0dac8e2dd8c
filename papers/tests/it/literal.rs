//! [`Literal`]: the criteria of CAV 2019 as literally as possible, with relations as sets of pairs, an `hb_o` for
//! every operation, and fixpoints by iteration. Slow, but short enough to be checked by eye.

use check::Model;
use papers::execution::{Execution, NONE};

/// A relation: `r[a][b]` says whether the pair (a, b) is in r.
pub(crate) type Pairs = Vec<Vec<bool>>;

/// The relations of the definitions for a history.
pub(crate) struct Literal {
    pub cc: bool,
    pub ccv: bool,
    pub cm: bool,
    pub ccm: bool,
    pub wccm: bool,
    /// Causality, `co` in the paper.
    pub causality: Pairs,
    /// `cf[co]`, the conflicts over causality.
    pub conflicts: Pairs,
    /// `(po ∪ wr ∪ cf)⁺`.
    pub convergence: Pairs,
    pub pww: Pairs,
    pub wpww: Pairs,
}

struct World<'a, 'h> {
    exec: &'a Execution<'h>,
    n: usize,
}

pub(crate) fn close(r: &mut Pairs) {
    for middle in 0..r.len() {
        for from in 0..r.len() {
            if r[from][middle] {
                let after = r[middle].clone();
                for (to, after) in r[from].iter_mut().zip(after) {
                    *to |= after;
                }
            }
        }
    }
}

pub(crate) fn acyclic(r: &Pairs) -> bool {
    let mut r = r.clone();
    close(&mut r);
    (0..r.len()).all(|o| !r[o][o])
}

fn union(relations: &[&Pairs]) -> Pairs {
    let n = relations[0].len();
    let any = |a: usize, b: usize| relations.iter().any(|r| r[a][b]);
    (0..n).map(|a| (0..n).map(|b| any(a, b)).collect()).collect()
}

impl World<'_, '_> {
    fn pairs(&self, holds: impl Fn(u32, u32) -> bool) -> Pairs {
        let all = 0..self.n as u32;
        all.clone().map(|a| all.clone().map(|b| holds(a, b)).collect()).collect()
    }

    fn location(&self, o: u32) -> u32 {
        self.exec.location[o as usize]
    }

    fn same_location(&self, a: u32, b: u32) -> bool {
        self.location(a) == self.location(b) && self.location(a) != NONE
    }

    fn writes(&self, a: u32, b: u32) -> bool {
        a != b && self.exec.is_write(a) && self.exec.is_write(b) && self.same_location(a, b)
    }

    fn source(&self, r: u32) -> Option<u32> {
        Some(self.exec.source[r as usize]).filter(|&w| w != NONE)
    }

    /// `rw[R]`: a read, and a write to which R leads from the read's source.
    fn rw(&self, r: &Pairs) -> Pairs {
        self.pairs(|read, w| {
            read != w
                && self.source(read).is_some_and(|s| self.writes(s, w) && r[s as usize][w as usize])
        })
    }

    /// `cf[R]`, or `cf_e[R]` if `external`: a write, and another write of the location such that R leads from the first
    /// to a read from the second.
    fn cf(&self, r: &Pairs, external: bool) -> Pairs {
        self.pairs(|a, b| {
            let reads = |read: u32| {
                self.source(read) == Some(b)
                    && a != read
                    && r[a as usize][read as usize]
                    && (!external || self.exec.is_external(read))
            };
            self.writes(a, b) && (0..self.n as u32).any(reads)
        })
    }

    /// `R_WW`: the pairs of R that are writes of one location.
    fn ww(&self, r: &Pairs) -> Pairs {
        self.pairs(|a, b| self.writes(a, b) && r[a as usize][b as usize])
    }

    /// The relation `hb_o` of an operation o, over causality `co` and the base order `order`.
    fn local(&self, o: u32, co: &Pairs, order: &Pairs) -> Pairs {
        let at = o as usize;
        let mut hb = self.pairs(|a, b| {
            let (a, b) = (a as usize, b as usize);
            co[a][b] && co[a][at] && (b == at || co[b][at])
        });
        loop {
            close(&mut hb);
            let second = self.pairs(|a, b| {
                let reads = |r: u32| {
                    self.source(r) == Some(b)
                        && a != r
                        && hb[a as usize][r as usize]
                        && (r == o || order[r as usize][at])
                };
                self.writes(a, b) && (0..self.n as u32).any(reads)
            });
            let more = union(&[&hb, &second]);
            if more == hb {
                return hb;
            }
            hb = more;
        }
    }

    fn locals(&self, co: &Pairs, order: &Pairs) -> Vec<Pairs> {
        let all = 0..self.n as u32;
        all.map(|o| self.local(o, co, order)).collect()
    }
}

fn closed(relations: &[&Pairs]) -> Pairs {
    let mut union = union(relations);
    close(&mut union);
    union
}

pub(crate) fn literal(exec: &Execution<'_>) -> Literal {
    let n = exec.len();
    let world = World { exec, n };
    let po = world.pairs(|a, b| exec.po(a, b));
    let wr = world.pairs(|a, b| world.source(b) == Some(a));
    let wr_e = world.pairs(|a, b| world.source(b) == Some(a) && exec.is_external(b));
    let mut ppo = world.pairs(|a, b| exec.preserves(Model::TSO, a, b));
    close(&mut ppo);
    let po_loc = world.pairs(|a, b| exec.po(a, b) && world.same_location(a, b));

    let co = closed(&[&po, &wr]);
    let rw = world.rw(&co);
    let bad = (0..n).any(|r| (0..n).any(|w| rw[r][w] && co[w][r]));
    let cc = acyclic(&co) && !bad;
    let conflicts = world.cf(&co, false);
    let convergence = closed(&[&po, &wr, &conflicts]);
    let ccv = cc && acyclic(&convergence);
    let locals = world.locals(&co, &po);
    let cm = cc && locals.iter().all(acyclic);
    let hb = closed(&locals.iter().collect::<Vec<_>>());
    let pww = closed(&[&world.ww(&hb), &world.cf(&hb, false)]);
    let ccm = acyclic(&union(&[&po, &wr, &pww, &world.rw(&pww)]));

    let happens = |order: &Pairs| {
        let co = closed(&[order, &wr_e]);
        closed(&world.locals(&co, order).iter().collect::<Vec<_>>())
    };
    let (hb_ppo, hb_loc) = (happens(&ppo), happens(&po_loc));
    let whb = closed(&[&hb_ppo, &hb_loc]);
    let wpww = closed(&[&world.ww(&whb), &world.cf(&hb_loc, true), &world.cf(&hb_ppo, true)]);
    let weak = |order: &Pairs| acyclic(&union(&[order, &wr_e, &wpww, &world.rw(&wpww)]));
    Literal {
        cc,
        ccv,
        cm,
        ccm,
        wccm: weak(&ppo) && weak(&po_loc),
        causality: co,
        conflicts,
        convergence,
        pww,
        wpww,
    }
}
