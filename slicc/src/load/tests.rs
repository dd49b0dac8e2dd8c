use super::*;

/// Loads the first of some files; the others may be included.
fn read(files: &[(&str, &str)]) -> Result<Loaded, Failure> {
    load_with(Path::new(files[0].0), &mut |path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        match found {
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    })
}

/// The names of the structures and machines of a protocol, a machine's in parentheses.
fn names(declarations: &[Declaration]) -> String {
    let name = |declaration: &Declaration| match declaration {
        Declaration::Structure(one) => Some(one.name.text.to_string()),
        Declaration::Machine(one) => Some(format!("({})", names(&one.body))),
        _ => None,
    };
    let all: Vec<_> = declarations.iter().filter_map(name).collect();
    all.join(" ")
}

/// The names without those of built-in declarations.
fn own_names(loaded: &Loaded) -> String {
    let is_own = |one: &&Declaration| one.span().file > 0;
    let own: Vec<_> = loaded.declarations.iter().filter(is_own).cloned().collect();
    names(&own)
}

fn messages(files: &[(&str, &str)]) -> Vec<String> {
    let said = read(files).unwrap_err().diagnostics.into_iter();
    said.map(|one| one.message).collect()
}

#[test]
fn included_declarations_stand_where_the_include_stood() {
    let loaded = read(&[
            (
                "x/p.slicc",
                "protocol 'p'; structure(A) { } include 'b.sm'; structure(C) { }
                 machine(M:X) : { include 'y/d.sm'; structure(F) { } include \"g.sm\"; } include 'h.sm';",
            ),
            ("x/b.sm", "structure(B) { }"),
            // Relative to the file first, then to the protocol.
            ("x/y/d.sm", "structure(D) { } include 'e.sm'; include 'b2.sm';"),
            ("x/y/e.sm", "structure(E) { }"),
            ("x/e.sm", "structure(Wrong) { }"),
            ("x/b2.sm", "structure(B2) { }"),
            ("x/g.sm", "structure(G) { }"),
            ("x/h.sm", "structure(H) { }"),
        ])
        .unwrap();
    assert_eq!(own_names(&loaded), "A B C (D E B2 F G) H");
    assert_eq!(loaded.protocol, "p");
}

#[test]
fn what_is_provided_is_not_looked_for() {
    let with =
        "protocol 'p'; include 'RubySlicc_interfaces.slicc'; include 'x/RubySlicc_Types.sm';";
    let loaded = read(&[("p.slicc", with)]).unwrap();
    assert_eq!(loaded.sources.files().len(), 2);
    assert_eq!(loaded.sources.files()[0].path, Path::new(PRELUDE_PATH));
    assert_eq!(loaded.warnings, []);
}

/// Until July 2015 a machine declared its own type; since then it has to be one that exists.
#[test]
fn an_older_machine_declares_its_type() {
    let types = |head: &str| {
        let text = format!("protocol 'p'; machine({head}, \"x\") : {{ }}");
        let loaded = read(&[("p.slicc", &text)]).unwrap();
        let found = loaded.declarations.iter().find_map(|one| match one {
            Declaration::Enumeration(one) if &*one.name.text == "MachineType" => Some(one),
            _ => None,
        });
        found.unwrap().values.iter().any(|(name, _)| &*name.text == "GPUCopyDMA")
    };
    assert!(types("GPUCopyDMA"));
    assert!(!types("MachineType:GPUCopyDMA"));
}

#[test]
fn files_that_declare_nothing_are_odd() {
    let loaded = read(&[("p.slicc", "protocol 'p'; include 'a';"), ("a", "// nothing")]).unwrap();
    assert_eq!(loaded.warnings.len(), 1);
    assert_eq!(loaded.warnings[0].message, "this file declares nothing");
}

#[test]
fn warnings_do_not_keep_files_from_being_read() {
    let numbers: Vec<String> = (0..MOST_ERRORS).map(|number| number.to_string()).collect();
    let includes: String = numbers.iter().map(|name| format!("include '{name}';")).collect();
    let root = format!("protocol 'p'; {includes} include 'a';");
    let empty = numbers.iter().map(|name| (&**name, "// nothing"));
    let files: Vec<(&str, &str)> =
        [("p.slicc", &*root), ("a", "structure(A) { }")].into_iter().chain(empty).collect();
    let loaded = read(&files).unwrap();
    assert_eq!((loaded.warnings.len(), &*own_names(&loaded)), (MOST_ERRORS, "A"));
}

#[test]
fn cycles() {
    assert_eq!(
        messages(&[
            ("a/p.slicc", "protocol 'p'; include 'x.sm';"),
            ("a/x.sm", "include 'b/../y.sm';"),
            ("a/b/../y.sm", "include 'x.sm';"),
        ]),
        ["files include each other in a cycle: a/x.sm -> a/y.sm -> a/x.sm"]
    );
    assert_eq!(
        messages(&[("p.slicc", "include './p.slicc';")]),
        ["files include each other in a cycle: p.slicc -> p.slicc"]
    );
}

#[test]
fn chains_have_a_limit() {
    let said = load_with(Path::new("0"), &mut |path| {
        let number: usize = path.to_str().and_then(|name| name.parse().ok()).unwrap_or(0);
        Ok(format!("include '{}';", number + 1).into_bytes())
    })
    .unwrap_err();
    assert_eq!(said.diagnostics.len(), 1);
    assert!(said.diagnostics[0].message.contains("more than 50 levels deep"));
}

#[test]
fn errors_of_all_files_are_said() {
    let said = messages(&[
        ("p.slicc", "protocol 'p'; include 'a'; include 'none'; include 'b'; include 'a';"),
        ("a", "structure(A) { x }"),
        ("b", "structure(B)"),
    ]);
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[1], "there is no file `none`");
    assert_eq!(said[3], "`a` is included twice");
}
