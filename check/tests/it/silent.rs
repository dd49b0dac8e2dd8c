//! Read-modify-writes that write back what they read: a verdict holds whether they have written or failed.

use certify::certificate;
use certify::verify::verify;
use check::{Model, Verdict};
use history::{Access, Annotation, History, Kind, Place, SilentEffect, WeakFence};
use memory::machine::explore;
use memory::models;
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::common::settled::{certificate_of, decided, verdict};
use crate::common::{MODELS, build, change_reads, seeded};

/// The history that axe text describes.
fn axe(text: &str) -> History {
    let trace = ingest::read(text.as_bytes(), "test", &ingest::Options::default()).unwrap();
    trace.histories.into_iter().next().unwrap()
}

/// Another thread's silent read-modify-write comes between a load-linked and its store-conditional. It has broken the reservation if it
/// wrote, so the verdict depends on that under every model.
#[test]
fn a_foreign_one_may_have_broken_a_reservation() {
    let with = |last: &str| {
        axe(&format!(
            "0: M[0] == 0 #! load-linked\n0: sync\n0: M[1] := 1\n0: sync\n0: M[2] == 1\n0: sync\n\
             0: M[0] := 1 #! store-conditional\n1: M[1] == 1\n1: sync\n1: {last}\n1: sync\n1: M[2] := 1\ncheck\n"
        ))
    };
    let (silent, failed) = (with("{ M[0] == 0; M[0] := 0 }"), with("M[0] == 0 #! failed-cas"));
    let wrote = silent.settle_silent(|_| SilentEffect::WRITTEN).unwrap();
    for &model in models::ALL {
        assert_eq!(verdict(&silent, model), None, "{model}");
        assert_eq!(verdict(&failed, model), Some(true), "{model}");
        assert_eq!(verdict(&wrote, model), Some(false), "{model}");
        let outcome = decided(&silent, model).outcome;
        let Verdict::Undecided(reason) = outcome.verdict else { panic!("{model}") };
        let words = reason.describe(&silent);
        let expected = "silent-rmw M[0] == 0 (thread 1, operation 2, line 10) returned the value that it would write";
        assert!(words.starts_with(expected), "{words}");
    }
}

/// Its own thread's silent read-modify-write between the two parts of a pair does not matter if no other thread writes there.
#[test]
fn an_own_one_alone_matters_to_nobody() {
    let history = axe("0: M[0] == 0 #! load-linked\n0: { M[0] == 0; M[0] := 0 }\n\
         0: M[0] := 3 #! store-conditional release\ncheck\n");
    for &model in models::ALL {
        assert_eq!(verdict(&history, model), Some(true), "{model}");
    }
}

/// If it wrote, its thread's pair promises nothing; if not, the other thread's store must not come in between.
#[test]
fn an_own_one_may_have_ended_a_reservation() {
    let history = axe(
        "0: M[0] == 0 #! load-linked\n0: { M[0] == 0; M[0] := 0 }\n0: sync\n0: M[1] := 1\n0: sync\n\
         0: M[2] == 1\n0: sync\n0: M[0] := 3 #! store-conditional\n\
         1: M[1] == 1\n1: sync\n1: M[0] := 2\n1: sync\n1: M[2] := 1\ncheck\n",
    );
    for &model in models::ALL {
        let expected = model.pairs_across_own_writes().then_some(false);
        assert_eq!(verdict(&history, model), expected, "{model}");
    }
}

/// Whether the silent read-modify-write wrote or failed, thread 0 reads 1 before the older 0. Under Armv8 and RMO its last load may take
/// its value from the write before the read part has read, so that no one form of the history shows that.
#[test]
fn cases_prove_what_no_form_shows() {
    let history =
        axe("0: { M[0] == 0; M[0] := 0 }\n0: M[0] == 1\n0: M[0] == 0\n1: M[0] := 1\ncheck\n");
    for &model in models::ALL {
        let expected = model == Model::RMO;
        assert_eq!(verdict(&history, model), Some(expected), "{model}");
    }
    let answer = decided(&history, Model::ARMV8);
    let text = certificate_of(&answer);
    assert!(text.contains("case 0:0=wrote\n") && text.contains("case 0:0=failed\n"), "{text}");
    let words = answer.cases.describe(&history).unwrap();
    assert!(words.starts_with("what is shown supposes that silent-rmw M[0] == 0"), "{words}");

    // The certificate holds only with both cases, each about an operation that may have failed.
    let (wrote, failed) =
        (text.find("case 0:0=wrote").unwrap(), text.find("case 0:0=failed").unwrap());
    let refuses = |text: &str, expected: &str| match certificate::read(text.as_bytes()) {
        Ok(certificate) => {
            let rejection = verify(&history, &certificate).unwrap_err();
            assert!(rejection.to_string().contains(expected), "{rejection}\n{text}");
        }
        Err(error) => assert!(error.to_string().contains(expected), "{error}\n{text}"),
    };
    refuses(&format!("{}end\n", &text[..failed]), "not all");
    refuses(&format!("{}{}", &text[..wrote], &text[failed..]), "not all");
    refuses(&text.replace("0:0=failed", "0:0=wrote"), "not all");
    refuses(&text.replace("0:0=failed", "0:0=wrote 0:0=failed"), "not all");
    refuses(&text.replace("case 0:0=failed\n", ""), "not all");
    refuses(&text.replace("0:0=", "0:1="), "no read-modify-write that may have failed");
    refuses(&text.replace("0:0=", "7:0="), "no read-modify-write that may have failed");
    refuses(&text.replace("=wrote", "=maybe"), "=wrote or ");
    refuses(&text.replace("case 0:0=wrote\n", ""), "no proof before the first `case`");
}

/// A verdict is that of the model alone, whichever models were asked before about the same history.
#[test]
fn models_that_were_asked_before_do_not_matter() {
    let history = axe("0: M[0] := 1\n0: { M[0] == 1; M[0] := 2 }\n1: M[0] == 2 #! load-linked\n\
         1: { M[0] == 2; M[0] := 2 }\n1: M[0] := 3 #! store-conditional release\ncheck\n");
    for &before in models::ALL {
        for &model in models::ALL {
            let asked = history.clone();
            verdict(&asked, before);
            assert_eq!(verdict(&asked, model), Some(true), "{before}, {model}");
        }
    }
}

/// What the models with machines say of a store buffering test whose first thread has a silent read-modify-write between
/// its store and its load, with this fence before it and this annotation. Only PSO allows it in some reading.
fn store_buffering(before: Option<WeakFence>, annotation: Annotation) -> Option<bool> {
    let store = |thread, cell| Access {
        written: Some(1),
        ..Access::new(thread, Kind::Store, Place::Cell(cell))
    };
    let read = |thread, kind, cell| Access {
        read: Some(0),
        ..Access::new(thread, kind, Place::Cell(cell))
    };
    let fence = |thread, fence| Access::new(thread, Kind::WeakFence(fence), Place::Nowhere);
    let mut accesses = vec![store(0, 0)];
    accesses.extend(before.map(|before| fence(0, before)));
    accesses.push(Access { annotation, ..read(0, Kind::SilentRmw, 1) });
    accesses.extend([read(0, Kind::Load, 2), store(1, 2)]);
    accesses.extend([Access::new(1, Kind::Fence, Place::Nowhere), read(1, Kind::Load, 0)]);
    let history = build(&accesses, &[]);
    for model in MODELS.into_iter().filter(|model| *model != Model::PSO) {
        assert_eq!(verdict(&history, model), Some(false), "{before:?} {annotation:?} {model}");
    }
    verdict(&history, Model::PSO)
}

/// A fence or a release orders the stores before it with one that wrote, but not with one that failed.
#[test]
fn fences_and_releases_order_it_if_it_wrote() {
    assert_eq!(store_buffering(None, Annotation::None), Some(true));
    assert_eq!(store_buffering(Some(WeakFence::ReadBoth), Annotation::None), Some(true));
    for fence in [WeakFence::WriteWrite, WeakFence::BothWrite, WeakFence::Tso] {
        assert_eq!(store_buffering(Some(fence), Annotation::None), None);
    }
    assert_eq!(store_buffering(None, Annotation::Acquire), Some(true));
    assert_eq!(store_buffering(None, Annotation::Release), None);
}

/// Two threads with stores, loads, silent read-modify-writes, and fences and releases that order writes.
fn with_silent(seed: u64) -> History {
    let mut random = seeded(seed);
    let mut accesses = Vec::new();
    for number in 0..random.random_range(9..=12) {
        let thread = u32::from(random.random_bool(0.5));
        let kinds = [Kind::Store, Kind::Load, Kind::SilentRmw, Kind::Fence];
        let kind = *kinds.choose(&mut random).unwrap();
        if kind == Kind::Fence {
            let fence = Kind::WeakFence(WeakFence::WriteWrite);
            let kind = if random.random_bool(0.5) { fence } else { kind };
            accesses.push(Access::new(thread, kind, Place::Nowhere));
            continue;
        }
        let is_release = kind != Kind::Load && random.random_bool(0.2);
        accesses.push(Access {
            written: kind.writes().then_some(number + 1),
            read: kind.reads().then_some(0),
            annotation: if is_release { Annotation::Release } else { Annotation::None },
            ..Access::new(thread, kind, Place::Cell(random.random_range(0..3)))
        });
    }
    let history = build(&accesses, &[]);
    let changes = random.random_range(0..=2);
    change_reads(&mut random, &history, changes)
}

/// The machine decides each reading. Those in which all wrote and all failed are the extremes, since there are no reservations.
#[test]
fn verdicts_are_those_of_all_readings() {
    // Per model, the numbers of histories that are forbidden, allowed, and undecided.
    let mut counts = [[0; 3]; MODELS.len()];
    for seed in 0..3_000 {
        let history = with_silent(seed);
        let Some(wrote) = history.settle_silent(|_| SilentEffect::WRITTEN) else { continue };
        let failed = history.settle_silent(|_| SilentEffect::FAILED).unwrap();
        for (at, model) in MODELS.into_iter().enumerate() {
            let allows = |reading| explore(reading, model, 200_000).unwrap().is_some();
            let (strict, mild) = (allows(&wrote), allows(&failed));
            let expected = (strict == mild).then_some(strict);
            if expected.is_none() || seed % 8 == 0 {
                assert_eq!(verdict(&history, model), expected, "seed {seed} {model}");
                counts[at][expected.map_or(2, usize::from)] += 1;
            }
        }
    }
    for (model, [forbidden, allowed, undecided]) in MODELS.into_iter().zip(counts) {
        assert!(forbidden > 60 && allowed > 60, "{model}: {forbidden} {allowed}");
        assert_eq!(undecided > 3, model == Model::PSO, "{model}: {undecided}");
    }
}
