//! The form of all schemas: objects have no other keys than those that their types name, and a key that may be missing is never
//! null.

use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value};

/// Brings a schema into this form.
pub(super) fn shape(schema: &mut Schema) {
    transform_subschemas(&mut shape, schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    // The sizes of Rust's numbers, which JSON does not have.
    object.remove("format");
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = plain(description);
    }
    if object.contains_key("properties") {
        forbid_null(object);
        forbid_others(object);
    }
}

/// Removes the line breaks of a doc comment, its links, and the names that Rust has for values of JSON.
fn plain(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().collect();
    let words = words.join(" ");
    words.replace("[`", "`").replace("`]", "`").replace("`None`", "`null`")
}

/// Says of the keys of an object that are not required that they have values.
fn forbid_null(object: &mut Map<String, Value>) {
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    for (key, value) in properties.into_iter().flatten() {
        if let Some(schema) =
            value.as_object_mut().filter(|_| !required.contains(&key.as_str().into()))
        {
            remove_null(schema);
            if let Some(Value::String(description)) = schema.get_mut("description") {
                *description = description.replace(". `null` if", ". Left out if");
                *description = description.replace("`null` if", "left out if");
            }
        }
    }
}

/// Removes null from the types of a value.
fn remove_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = &mut choices[..] {
            let only = std::mem::take(only);
            schema.remove("anyOf");
            for (keyword, value) in only {
                schema.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Says of an object that it has no other keys. Some of its keys may be in alternatives.
fn forbid_others(object: &mut Map<String, Value>) {
    let keyword = if open_parts(object) { "unevaluatedProperties" } else { "additionalProperties" };
    object.entry(keyword).or_insert(false.into());
}

/// Allows other keys in the parts of a schema, which do not know the keys of each other. Returns whether there are any.
fn open_parts(schema: &mut Map<String, Value>) -> bool {
    let mut has_parts = false;
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten();
        for part in parts.filter_map(Value::as_object_mut) {
            has_parts = true;
            open_parts(part);
            part.remove("additionalProperties");
            part.remove("unevaluatedProperties");
        }
    }
    has_parts
}
