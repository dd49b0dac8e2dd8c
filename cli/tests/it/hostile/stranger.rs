//! Protocols and certificates from strangers.

use std::fs;
use std::os::unix::fs::symlink;

use crate::common::{Folder, edited_mi_example, error, failure, output, output_of};

/// A line of a file that nobody meant to show.
const SECRET: &str = "root:x:0:0:secret";

#[test]
fn a_protocol_shows_no_other_file() {
    let folder = Folder::new();
    let own = folder.0.path().join("own");
    fs::create_dir(&own).unwrap();
    let secret = folder.file("secret", format!("{SECRET}\n"));
    symlink(&secret, own.join("link.sm")).unwrap();
    for include in ["../secret", &secret, "link.sm", "./x/../../secret"] {
        let _ = fs::create_dir(own.join("x"));
        let protocol = own.join("p.slicc");
        fs::write(&protocol, format!("protocol \"P\";\ninclude \"{include}\";\n")).unwrap();
        let message = failure(&["protocol", "show", protocol.to_str().unwrap()]);
        assert!(!message.contains("root"), "{message}");
        assert!(message.contains("outside of the protocol's folder"), "{message}");
        assert!(message.contains("--include"), "{message}");
    }
}

#[test]
fn files_elsewhere_can_be_allowed() {
    let folder = Folder::new();
    let (own, shared) = (folder.0.path().join("own"), folder.0.path().join("shared"));
    fs::create_dir(&own).unwrap();
    fs::create_dir(&shared).unwrap();
    let protocol = edited_mi_example(&own, "", "", "");
    let messages = "MI_example-msg.sm";
    fs::rename(own.join(messages), shared.join(messages)).unwrap();
    assert!(error(&["protocol", "show", &protocol]).contains("there is no file"));
    let shared = shared.to_str().unwrap();
    let shown = output(&["protocol", "show", &protocol, "--include", shared]);
    assert_eq!(shown, output(&["protocol", "show", "MI_example"]));
    output(&["--include", shared, "simulate", &protocol, "--operations", "10"]);
}

/// A certificate of the history SB in the folder, whose path is returned with that of the history.
fn certified(folder: &Folder) -> (String, String) {
    let text = "# SB\n0: M[0] := 1\n0: M[1] == 1\n1: M[1] := 1\n1: M[0] == 1\ncheck\n";
    let history = folder.file("sb.axe", text);
    output_of(&["check", &history, "--certificate", &folder.path("proofs")], 0);
    let mut proofs = fs::read_dir(folder.path("proofs")).unwrap();
    let certificate = proofs.next().unwrap().unwrap().path();
    (history, certificate.to_str().unwrap().to_owned())
}

#[test]
fn a_certificate_claims_nothing_but_what_is_so() {
    let folder = Folder::new();
    let (history, certificate) = certified(&folder);
    output(&["verify", &history, &certificate]);
    let text = fs::read_to_string(&certificate).unwrap();
    for (from, to, what) in [
        ("threads 2", "threads 3", "number of threads is 3, here it is 2"),
        ("operations 4", "operations 4000", "number of operations is 4000, here it is 4"),
        ("digest", "history another\ndigest", "name of the history is another"),
    ] {
        assert!(text.contains(from), "{text}");
        let text = match what.strip_prefix("name") {
            Some(_) => {
                let without = text.lines().filter(|line| !line.starts_with("history "));
                without.map(|line| format!("{line}\n")).collect()
            }
            None => text.clone(),
        };
        let other = folder.file("other.cert", text.replacen(from, to, 1));
        let message = error(&["verify", &history, &other]);
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn a_certificate_names_no_other_file() {
    let folder = Folder::new();
    let (history, certificate) = certified(&folder);
    let secret = folder.file("secret", format!("{SECRET}\n"));
    let text = fs::read_to_string(&certificate).unwrap();
    let options = format!("options --initial {secret}\nverdict");
    let other = folder.file("other.cert", text.replacen("verdict", &options, 1));
    let message = error(&["verify", &history, &other]);
    assert!(!message.contains("root"), "{message}");
    assert!(message.contains("which a certificate cannot have"), "{message}");
}
