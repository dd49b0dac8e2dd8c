//! Notes on which accesses of a log of instructions make the history ([`notes`]).

use instructions::Selected;
use settings::Setting;

/// The notes on the accesses that were selected, one sentence each.
pub(crate) fn notes(selected: &Selected) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(bytes) = selected.shared_bytes {
        notes.push(found(bytes, selected.left_out));
        if selected.announces {
            notes.push(format!(
                "The program announces its shared variables: {} checks those alone, without locks, flags and the libraries' own memory.",
                Setting::Addresses.to("auto")
            ));
        }
    }
    if let Some(range) = &selected.announced {
        notes.push(format!(
            "Checked: addresses {:#x} to {:#x}, the shared variables that the program announces; {} other access{} left out.",
            range.start,
            range.end - 1,
            selected.left_out,
            if selected.left_out == 1 { " is" } else { "es are" },
        ));
    }
    notes
}

/// The note on the locations whose accesses make the history, if the user chose none.
fn found(bytes: u64, left_out: u64) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    if bytes == 0 {
        return format!(
            "{left_out} access{} read, none of memory that one thread writes and another accesses \
             ({} chooses).",
            if left_out == 1 { " was" } else { "es were" },
            Setting::Addresses.to("LO-HI"),
        );
    }
    format!(
        "Checked: {bytes} byte{} of memory that one thread writes and another accesses; {left_out} other \
         access{} left out ({} chooses).",
        plural(bytes),
        if left_out == 1 { " is" } else { "es are" },
        Setting::Addresses.to("LO-HI"),
    )
}
