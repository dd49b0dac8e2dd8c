//! Buffers on another network, or without order.

use crate::ast::{Object, Pair, PairKind};
use crate::mutant::edit::Edit;
use crate::mutant::made::Found;
use crate::mutant::scene::Scene;
use crate::mutant::words::network;
use crate::scripts::{Script, is_ordered};
use crate::setting::Setting;

fn buffers<'a>(scene: &Scene<'a>) -> impl Iterator<Item = &'a Object> {
    let parameters = scene.machine.parameters.iter();
    parameters.filter(|parameter| &*parameter.kind.text == "MessageBuffer")
}

fn pair<'a>(buffer: &'a Object, key: &str) -> Option<&'a Pair> {
    buffer.pairs.iter().find(|pair| &*pair.key.text == key)
}

/// Another value of an attribute.
fn set(pair: &Pair, value: &str) -> Edit {
    let text = match pair.kind {
        PairKind::Text => format!("\"{value}\""),
        PairKind::Word | PairKind::Number => value.to_owned(),
    };
    Edit::replace(pair.value.span, text)
}

/// The networks that some buffer of the same direction is attached to already are left out: two of
/// them cannot be told apart.
pub(super) fn wrong_network(scene: &Scene, found: &mut Found) {
    let direction = |buffer: &Object| pair(buffer, "network").map(|pair| pair.value.text.clone());
    for buffer in buffers(scene) {
        let Some(own) = pair(buffer, "virtual_network") else {
            continue;
        };
        let is_taken = |other: &str| {
            let mut same = buffers(scene).filter(|one| direction(one) == direction(buffer));
            same.any(|one| network(one) == Some(other))
        };
        let networks = scene.words.networks.iter();
        for &other in networks.filter(|other| !is_taken(other)) {
            let name = &buffer.name.text;
            let right = &own.value.text;
            let about = format!("{name} is on the virtual network {other} instead of {right}.");
            let edits = vec![set(own, other)];
            found.whole(&format!("buffer:{name}"), other, &about, edits, Vec::new());
        }
    }
}

pub(super) fn unordered(scene: &Scene, found: &mut Found) {
    let (protocol, machine) = (scene.protocol.name(), &scene.tables.name);
    let script = Script::find(protocol, &scene.protocol.declared());
    let ordered = |buffer: &&Object| is_ordered(script, machine, buffer);
    for buffer in buffers(scene).filter(ordered) {
        let name = &buffer.name.text;
        let setting = Setting {
            machine: Some(machine.clone()),
            parameter: name.to_string(),
            value: "unordered".to_owned(),
        };
        // Scripts decide, but for a protocol that says it itself.
        let edits = pair(buffer, "ordered").map(|pair| set(pair, "false"));
        let edits = edits.into_iter().collect();
        let about = format!("{name} is no longer ordered.");
        found.whole(&format!("buffer:{name}"), "", &about, edits, vec![setting]);
    }
}
