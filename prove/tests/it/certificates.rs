//! Certificates that were changed prove nothing.

use std::sync::LazyLock;

use prove::{Answer, Certificate, Options, Rejection, prove_large, verify};
use simulate::system::stepping::sections::TokenKind;
use slicc::protocol::Protocol;

use crate::changed;

static MI_EXAMPLE: LazyLock<(Protocol, Certificate)> = LazyLock::new(|| {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    match prove_large(&protocol, &Options::default(), &mut |_| {}) {
        Answer::Proved(certificate) => (protocol, *certificate),
        other => panic!("{other:?}"),
    }
});

#[test]
fn certificates_are_read_as_they_were_written() {
    let (protocol, certificate) = &*MI_EXAMPLE;
    let read = Certificate::read(&certificate.text()).expect("it is one");
    assert_eq!(&read, certificate);
    verify(protocol, &read).expect("it is a proof");
    for text in ["", "rubric proof 2", "rubric proof 1\ncache 1", "rubric proof 1\npair\ncache x"] {
        assert!(Certificate::read(text).is_err(), "{text}");
    }
}

/// Each pair is there because a move of others leads to it.
#[test]
fn no_pair_can_be_left_out() {
    let (protocol, certificate) = &*MI_EXAMPLE;
    for at in (0..certificate.pairs.len()).step_by(97) {
        let mut without = certificate.clone();
        without.pairs.remove(at);
        let rejection = verify(protocol, &without).expect_err("a pair is missing");
        assert!(matches!(rejection, Rejection::First | Rejection::Open(_)), "{at}: {rejection}");
    }
}

#[test]
fn no_pair_can_be_changed() {
    let (protocol, certificate) = &*MI_EXAMPLE;
    let mut tried = 0;
    for at in (0..certificate.pairs.len()).step_by(67) {
        let mut other = certificate.clone();
        let caches = &mut other.pairs[at].caches;
        let Some(word) = caches.iter_mut().flatten().flatten().nth(at % 3) else { continue };
        assert_eq!(word.kind, TokenKind::Plain);
        word.word = 1 - word.word.min(1);
        if &other == certificate {
            continue;
        }
        verify(protocol, &other).expect_err("a pair is another one");
        tried += 1;
    }
    assert!(tried > 5);
}

#[test]
fn a_certificate_is_about_one_protocol() {
    let (protocol, certificate) = &*MI_EXAMPLE;
    let other = changed("German", "protocol \"German\"", "protocol \"Other\"");
    let rejection = verify(&other, certificate).expect_err("it is another protocol");
    assert!(matches!(rejection, Rejection::OtherProtocol(_)));
    let mutant = mutate::made::all(protocol).into_iter().next().expect("there are mutants");
    let mutant = protocol.with(&mutant).expect("it fits");
    assert!(verify(&mutant, certificate).is_err());
    // Even if it says that it is.
    let forged = Certificate { digest: prove::digest(&other), ..certificate.clone() };
    assert!(verify(&other, &forged).is_err());
}
