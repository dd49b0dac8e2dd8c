//! Proofs of small histories, written by hand, and the certificates around them.

use certify::certificate::{self, Certificate, Claim};
use certify::criterion::Criterion;
use certify::verify::{Rejection, Verified, verify};
use history::{Access, History, HistoryBuilder, Initial, Kind, Place, Provenance};
use memory::Model;

/// A history and a proof about it.
pub(crate) struct Proof {
    /// The history, as [`history`] reads it.
    pub history: &'static str,
    /// The model that it is about.
    pub model: Model,
    /// The criterion that it refutes, if it is no proof about the model.
    pub criterion: Option<Criterion>,
    /// The verdict that it proves.
    pub verdict: &'static str,
    /// The lines after the header, without `end`.
    pub lines: &'static str,
}

impl Proof {
    /// A proof that a history violates a model.
    pub(crate) const fn refuted(history: &'static str, model: Model, lines: &'static str) -> Proof {
        Proof { history, model, criterion: None, verdict: "violation", lines }
    }

    /// A proof that a history violates a criterion.
    pub(crate) const fn criterion(
        history: &'static str,
        criterion: Criterion,
        lines: &'static str,
    ) -> Proof {
        let model = Model::SC;
        Proof { history, model, criterion: Some(criterion), verdict: "violation", lines }
    }

    /// A run that shows that a history satisfies a model.
    pub(crate) const fn run(history: &'static str, model: Model, lines: &'static str) -> Proof {
        Proof { history, model, criterion: None, verdict: "consistent", lines }
    }

    /// Whether trying every run says whether the model allows the history: not if final values decide it, which runs do not have, nor if
    /// initial values are not known. The proofs here about such histories are refutations.
    pub(crate) fn is_decided_by_runs(&self) -> bool {
        !self.history.contains("infer") && !self.history.contains("final")
    }

    /// The text of the certificate.
    pub(crate) fn certificate(&self) -> String {
        self.with_lines(self.lines)
    }

    /// The text of the certificate with other lines after the header.
    pub(crate) fn with_lines(&self, lines: &str) -> String {
        let claim = Claim::new(&history(self.history), self.model, "");
        let claim = Claim { criterion: self.criterion, ..claim };
        let mut header = Vec::new();
        certificate::write_header(&mut header, &claim, self.verdict).unwrap();
        let header = String::from_utf8(header).unwrap();
        let lines: Vec<&str> = lines.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        let lines: String = lines.into_iter().map(|line| format!("{line}\n")).collect();
        format!("{header}{lines}end\n")
    }
}

/// A history, one operation a line, such as `0: st 0 := 1`, `0: ld 0 == 1`, `0: rmw 0 == 1 := 2`, `0: fence`; `final 0 := 1` is the
/// final value of location 0, and `infer` says that initial values are not known.
pub(crate) fn history(text: &str) -> History {
    let mut builder = HistoryBuilder::new();
    let mut initial = Initial::Zero;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let value_behind = |sign: &str| {
            let at = words.iter().position(|word| *word == sign)?;
            words[at + 1].parse().ok()
        };
        if words[0] == "infer" {
            initial = Initial::Infer;
            continue;
        }
        if words[0] == "final" {
            builder.final_value(words[1].parse().unwrap(), value_behind(":=").unwrap(), None);
            continue;
        }
        let thread = words[0].trim_end_matches(':').parse().unwrap();
        let kind = match words[1] {
            "ld" => Kind::Load,
            "st" => Kind::Store,
            "rmw" => Kind::Rmw,
            "silent" => Kind::SilentRmw,
            "ll" => Kind::LoadLinked,
            "sc" => Kind::StoreConditional,
            _ => Kind::Fence,
        };
        let place = words.get(2).map_or(Place::Nowhere, |cell| Place::Cell(cell.parse().unwrap()));
        let (read, written) = (value_behind("=="), value_behind(":="));
        builder.push(Access { read, written, ..Access::new(thread, kind, place) });
    }
    builder.finish(Default::default(), &initial, Provenance::made()).unwrap()
}

/// The certificate of a text that is one.
pub(crate) fn read(text: &str) -> Certificate {
    certificate::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the verifier says of a text that is a certificate.
pub(crate) fn verified(proof: &Proof, text: &str) -> Result<Verified, Rejection> {
    verify(&history(proof.history), &read(text))
}

/// Store buffering: each of two threads stores and then reads what the other location held before.
pub(crate) const SB: &str = "0: st 0 := 1
    0: ld 1 == 0
    1: st 1 := 1
    1: ld 0 == 0";
/// Store buffering with fences.
pub(crate) const SB_FENCED: &str = "0: st 0 := 1
    0: fence
    0: ld 1 == 0
    1: st 1 := 1
    1: fence
    1: ld 0 == 0";
/// Message passing that fails.
pub(crate) const MP: &str = "0: st 0 := 1
    0: st 1 := 1
    1: ld 1 == 1
    1: ld 0 == 0";
/// Two threads read each other's store after their own.
pub(crate) const CROSSED: &str = "0: st 0 := 1
    0: ld 0 == 2
    1: st 0 := 2
    1: ld 0 == 1";
/// A thread reads an old value again.
pub(crate) const BACK: &str = "0: st 0 := 1
    1: st 0 := 2
    2: ld 0 == 1
    2: ld 0 == 2
    2: ld 0 == 1";
/// A thread reads the initial value after a store.
pub(crate) const UNDONE: &str = "0: st 0 := 1
    1: ld 0 == 1
    1: ld 0 == 0";
/// A location ends with the value of a store that another one follows.
pub(crate) const ENDED: &str = "0: st 0 := 1
    0: st 0 := 2
    final 0 := 1";
/// A value that two stores have, read after a third one that follows both.
pub(crate) const TWICE: &str = "0: st 0 := 1
    0: st 1 := 1
    1: st 0 := 1
    1: st 2 := 1
    2: ld 1 == 1
    2: ld 2 == 1
    2: st 0 := 2
    2: ld 0 == 1";
/// Two loads return what only stores after them write, so that memory held both at the start.
pub(crate) const BEFORE: &str = "infer
    0: ld 0 == 5
    0: ld 0 == 6
    0: st 1 := 1
    1: ld 1 == 0
    1: ld 1 == 1
    1: st 0 := 5
    1: st 0 := 6";
/// A read-modify-write between which and its source another store has no place.
pub(crate) const ATOMIC: &str = "0: rmw 0 == 0 := 1
    1: rmw 0 == 0 := 2";
/// A compare-and-swap that may have failed, beside a thread that reads the initial value after a store.
pub(crate) const SILENT: &str = "0: silent 5 == 0 := 0
    0: st 0 := 1
    1: ld 0 == 1
    1: ld 0 == 0";

/// All proofs, each of another rule or another way to end.
pub(crate) fn all() -> Vec<Proof> {
    vec![
        Proof::refuted(
            SB,
            Model::SC,
            "1 R2 0:0 0:1
             2 R7 0:1 1:0
             3 R2 1:0 1:1
             4 R7 1:1 0:0
             5 cycle : 1 2 3 4",
        ),
        Proof::run(
            SB,
            Model::TSO,
            "x 0:0
             x 0:1
             x 1:0
             x 1:1
             c 0:0
             c 1:0",
        ),
        Proof::run(
            SB,
            Model::RVWMO,
            "x 0:1
             x 1:1
             x 0:0
             x 1:0",
        ),
        Proof::refuted(
            SB_FENCED,
            Model::TSO,
            "1 R3 0:0 0:1
             2 R3 0:1 0:2
             3 R7 0:2 1:0
             4 R3 1:0 1:1
             5 R3 1:1 1:2
             6 R7 1:2 0:0
             7 cycle : 1 2 3 4 5 6",
        ),
        Proof::refuted(
            MP,
            Model::TSO,
            "1 R2 0:0 0:1
             2 R4 0:1 1:0
             3 R1 1:0 1:1
             4 R7 1:1 0:0
             5 cycle : 1 2 3 4",
        ),
        Proof::refuted(
            CROSSED,
            Model::PSO,
            "1 R5 0:0 0:1
             2 R5 1:0 1:1
             3 cycle : 1 2",
        ),
        Proof::refuted(
            BACK,
            Model::PSO,
            "1 R4 0:0 2:0
             2 R1 2:0 2:1
             3 R6 0:0 2:1 : 1 2
             4 R4 1:0 2:1
             5 R1 2:1 2:2
             6 R6 1:0 2:2 : 4 5
             7 cycle : 3 6",
        ),
        Proof::refuted(
            UNDONE,
            Model::SC,
            "1 R4 0:0 1:0
             2 R1 1:0 1:1
             3 R6 0:0 1:1 : 1 2
             4 first 0:0
             5 cycle : 3 4",
        ),
        Proof::refuted(
            ENDED,
            Model::TSO,
            "1 R2 0:0 0:1
             2 final 0:1
             3 cycle : 1 2",
        ),
        Proof::refuted("0: ld 0 == 7", Model::RVWMO, "1 thin-air 0:0"),
        Proof::refuted("0: st 0 := 1\nfinal 0 := 7", Model::ARMV8, "1 thin-final 0"),
        Proof::refuted(
            TWICE,
            Model::SC,
            "1 candidates 2:3
             2 suppose 2:3=0:0
             3 R2 0:0 0:1
             4 R4 0:1 2:0
             5 R1 2:0 2:2
             6 R7 2:3 2:2 : 2 3 4 5
             7 R2 2:2 2:3
             8 cycle : 6 7
             9 suppose 2:3=1:0
             10 R2 1:0 1:1
             11 R4 1:1 2:1
             12 R1 2:1 2:2
             13 R7 2:3 2:2 : 9 10 11 12
             14 R2 2:2 2:3
             15 cycle : 13 14
             16 clause : 1 8 15",
        ),
        Proof::refuted(
            BEFORE,
            Model::SC,
            "1 candidates 0:0
             2 suppose 0:0=1:2
             3 R4 1:2 0:0 : 2
             4 R1 0:0 0:2
             5 R4 0:2 1:1
             6 R1 1:1 1:2
             7 cycle : 3 4 5 6
             8 candidates 0:1
             9 suppose 0:1=1:3
             10 R4 1:3 0:1 : 9
             11 R1 0:1 0:2
             12 R4 0:2 1:1
             13 R1 1:1 1:3
             14 cycle : 10 11 12 13
             15 one-initial 0:0 0:1
             16 clause : 1 7 8 14 15",
        ),
        Proof::refuted(
            ATOMIC,
            Model::TSO,
            "1 R7 0:0 1:0
             2 R7 1:0 0:0
             3 cycle : 1 2",
        ),
        Proof::refuted(
            UNDONE,
            Model::RVWMO,
            "1 R4 0:0 1:0
             2 ppo-reads-apart 1:0 1:1
             3 R7 1:1 0:0
             4 cycle : 1 2 3",
        ),
        Proof::criterion(
            MP,
            Criterion::Cc,
            "1 po 0:0 0:1
             2 wr 0:1 1:0
             3 po 1:0 1:1
             4 po initial@0 0:0
             5 rw 1:1 0:0 : 4
             6 cycle rw[co];co : 5 1 2 3",
        ),
        Proof::criterion(
            CROSSED,
            Criterion::Ccv,
            "1 po 0:0 0:1
             2 cf 0:0 1:0 via 0:1 : 1
             3 po 1:0 1:1
             4 cf 1:0 0:0 via 1:1 : 3
             5 cycle po|wr|cf : 2 4",
        ),
        Proof::criterion(
            BACK,
            Criterion::Cm,
            "1 wr 0:0 2:0
             2 po 2:0 2:1
             3 hb@2:2 0:0 1:0 via 2:1 : 1 2
             4 wr 1:0 2:1
             5 po 2:1 2:2
             6 hb@2:2 1:0 0:0 via 2:2 : 4 5
             7 cycle hb@2:2 : 3 6",
        ),
        Proof::criterion(
            BACK,
            Criterion::Ccm,
            "1 wr 0:0 2:0
             2 po 2:0 2:1
             3 hb@2:2 0:0 1:0 via 2:1 : 1 2
             4 wr 1:0 2:1
             5 po 2:1 2:2
             6 cf 1:0 0:0 via 2:2 : 4 5
             7 pww 0:0 1:0 : 3
             8 pww 1:0 0:0 : 6
             9 cycle po|wr|pww|rw[pww] : 7 8",
        ),
        Proof::criterion(
            BACK,
            Criterion::Wccm,
            "1 wr_e 0:0 2:0
             2 ppo 2:0 2:1
             3 cf_e 0:0 1:0 via 2:1 : 1 2
             4 wr_e 1:0 2:1
             5 ppo 2:1 2:2
             6 hb^ppo@2:2 1:0 0:0 via 2:2 : 4 5
             7 wpww 0:0 1:0 : 3
             8 wpww 1:0 0:0 : 6
             9 cycle ppo|wr_e|wpww|rw[wpww] : 7 8",
        ),
        Proof::criterion(
            BACK,
            Criterion::Wccm,
            "1 wr_e 0:0 2:0
             2 po-loc 2:0 2:1
             3 hb^po-loc@2:2 0:0 1:0 via 2:1 : 1 2
             4 wpww 0:0 1:0 : 3
             5 rw 2:2 1:0 : 4
             6 wr_e 1:0 2:1
             7 po-loc 2:1 2:2
             8 cycle po-loc|wr_e|wpww|rw[wpww] : 5 6 7",
        ),
    ]
}
