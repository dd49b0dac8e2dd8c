//! Makes mutants in which a buffer is on another virtual network, or is not ordered.

use slicc::ast::{Object, Pair, PairKind};
use slicc::scripts::{Script, is_ordered};
use slicc::setting::Setting;

use crate::collector::Collector;
use crate::edit::Edit;
use crate::scene::Scene;
use crate::usage::network;

fn buffers<'a>(scene: &Scene<'a>) -> impl Iterator<Item = &'a Object> {
    let parameters = scene.machine.parameters.iter();
    parameters.filter(|parameter| &*parameter.kind.text == "MessageBuffer")
}

fn pair<'a>(buffer: &'a Object, key: &str) -> Option<&'a Pair> {
    buffer.pairs.iter().find(|pair| &*pair.key.text == key)
}

/// Changes the value of an attribute.
fn set(pair: &Pair, value: &str) -> Edit {
    let text = match pair.kind {
        PairKind::Text => format!("\"{value}\""),
        PairKind::Word | PairKind::Number => value.to_owned(),
    };
    Edit::replace(pair.value.span, text)
}

/// Networks to which a buffer of the same direction is already attached are left out, since the
/// messages of the two would be mixed up.
pub(super) fn wrong_network(scene: &Scene, mutants: &mut Collector) {
    let direction = |buffer: &Object| pair(buffer, "network").map(|pair| pair.value.text.clone());
    for buffer in buffers(scene) {
        let Some(own) = pair(buffer, "virtual_network") else {
            continue;
        };
        let is_taken = |other: &str| {
            let mut same = buffers(scene).filter(|one| direction(one) == direction(buffer));
            same.any(|one| network(one) == Some(other))
        };
        let networks = scene.usage.networks.iter();
        for &other in networks.filter(|other| !is_taken(other)) {
            let name = &buffer.name.text;
            let right = &own.value.text;
            let about = format!("{name} is on the virtual network {other} instead of {right}.");
            let edits = vec![set(own, other)];
            mutants.whole(&format!("buffer:{name}"), other, &about, edits, Vec::new());
        }
    }
}

pub(super) fn unordered(scene: &Scene, mutants: &mut Collector) {
    let (protocol, machine) = (scene.protocol.name(), &scene.tables.name);
    let script = Script::find(protocol, &scene.protocol.declared());
    let ordered = |buffer: &&Object| is_ordered(script, machine, buffer);
    for buffer in buffers(scene).filter(ordered) {
        let name = &buffer.name.text;
        let setting = Setting::of(machine, name, "unordered");
        // gem5's script decides, unless the buffer has the attribute.
        let edits = pair(buffer, "ordered").map(|pair| set(pair, "false"));
        let edits = edits.into_iter().collect();
        let about = format!("{name} is no longer ordered.");
        mutants.whole(&format!("buffer:{name}"), "", &about, edits, vec![setting]);
    }
}
