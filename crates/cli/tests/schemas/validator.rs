//! A validator for the keywords of JSON Schema that occur in our schemas and in that of SARIF. Another keyword is an
//! error, so that nothing in a schema is passed over.

use serde_json::Value;

/// Keywords that say nothing about what is valid; formats are annotations, too.
const ANNOTATIONS: [&str; 8] =
    ["$schema", "$id", "title", "description", "default", "$defs", "definitions", "format"];

/// What is wrong with a value: places and reasons.
pub(crate) fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, value, "$", &mut found);
    found
}

struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.check(schema, value, "", &mut found);
        found.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let keywords = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return found.push(format!("{at}: nothing is allowed here")),
            Value::Object(keywords) => keywords,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                panic!("{schema} is no schema")
            }
        };
        for (keyword, asked) in keywords {
            let wrong = match keyword.as_str() {
                "$ref" => {
                    let path = asked.as_str().and_then(|path| path.strip_prefix('#'));
                    let target = self.root.pointer(path.expect("a place in this schema"));
                    self.check(target.expect("it is there"), value, at, found);
                    None
                }
                "type" => (!has_type(asked, value)).then(|| format!("is not of type {asked}")),
                "const" => (asked != value).then(|| format!("is not {asked}")),
                "enum" => (!list(asked).contains(value))
                    .then(|| format!("is {value}, not one of {asked}")),
                "allOf" => {
                    for one in list(asked) {
                        self.check(one, value, at, found);
                    }
                    None
                }
                "anyOf" | "oneOf" => {
                    let count = list(asked).iter().filter(|one| self.is_valid(one, value)).count();
                    let is_right = if keyword == "oneOf" { count == 1 } else { count > 0 };
                    (!is_right).then(|| format!("is {count} of the forms of {keyword}"))
                }
                "not" => self.is_valid(asked, value).then(|| "is what it must not be".to_owned()),
                "properties" => {
                    for (name, own) in value.as_object().into_iter().flatten() {
                        if let Some(schema) = asked.get(name) {
                            self.check(schema, own, &format!("{at}.{name}"), found);
                        }
                    }
                    None
                }
                "required" => {
                    let missing = list(asked).iter().find(|name| {
                        let name = name.as_str().expect("a name");
                        value.is_object() && value.get(name).is_none()
                    });
                    missing.map(|name| format!("lacks {name}"))
                }
                "additionalProperties" => {
                    let named = keywords.get("properties");
                    for (name, own) in value.as_object().into_iter().flatten() {
                        if named.is_none_or(|named| named.get(name).is_none()) {
                            self.check(asked, own, &format!("{at}.{name}"), found);
                        }
                    }
                    None
                }
                "items" => {
                    let first = keywords.get("prefixItems").map_or(0, |first| list(first).len());
                    for (number, own) in
                        value.as_array().into_iter().flatten().enumerate().skip(first)
                    {
                        self.check(asked, own, &format!("{at}[{number}]"), found);
                    }
                    None
                }
                "prefixItems" => {
                    let own = value.as_array().into_iter().flatten().enumerate();
                    for ((number, own), schema) in own.zip(list(asked)) {
                        self.check(schema, own, &format!("{at}[{number}]"), found);
                    }
                    None
                }
                "minItems" => {
                    let is_short = value.as_array().is_some_and(|own| own.len() < size(asked));
                    is_short.then(|| format!("has fewer than {asked} items"))
                }
                "maxItems" => {
                    let is_long = value.as_array().is_some_and(|own| own.len() > size(asked));
                    is_long.then(|| format!("has more than {asked} items"))
                }
                "uniqueItems" => {
                    let own = value.as_array().map(Vec::as_slice).unwrap_or_default();
                    let twice = own.iter().enumerate().find(|(at, one)| own[..*at].contains(one));
                    twice.map(|(_, one)| format!("has {one} twice"))
                }
                "minProperties" => {
                    let is_small = value.as_object().is_some_and(|own| own.len() < size(asked));
                    is_small.then(|| format!("has fewer than {asked} members"))
                }
                "minimum" => less(value, asked).then(|| format!("is less than {asked}")),
                "maximum" => less(asked, value).then(|| format!("is more than {asked}")),
                // Only identifiers and languages have one in SARIF, and we write none.
                "pattern" => value.is_string().then(|| "has a pattern".to_owned()),
                name if ANNOTATIONS.contains(&name) => None,
                name => panic!("{at}: the keyword {name} is not known here"),
            };
            found.extend(wrong.map(|wrong| format!("{at} {wrong}")));
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn size(value: &Value) -> usize {
    value.as_u64().and_then(|size| usize::try_from(size).ok()).expect("a size")
}

fn less(one: &Value, other: &Value) -> bool {
    one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one < other)
}

fn has_type(asked: &Value, value: &Value) -> bool {
    if let Value::Array(types) = asked {
        return types.iter().any(|one| has_type(one, value));
    }
    match asked.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        name => panic!("there is no type {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::errors;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_found() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "type": ["integer", "null"], "minimum": 0 }, "b": { "$ref": "#/$defs/b" } },
            "required": ["a"],
            "additionalProperties": false,
            "$defs": { "b": { "anyOf": [{ "const": 1 }, { "enum": ["x", null] }] } }
        });
        for right in [json!({ "a": 3 }), json!({ "a": null, "b": "x" }), json!({ "a": 0, "b": 1 })]
        {
            assert_eq!(errors(&schema, &right), Vec::<String>::new());
        }
        for wrong in [
            json!([]),
            json!({}),
            json!({ "a": -1 }),
            json!({ "a": "x" }),
            json!({ "a": 1.5 }),
            json!({ "a": 1, "b": 2 }),
            json!({ "a": 1, "c": 2 }),
        ] {
            assert_eq!(errors(&schema, &wrong).len(), 1, "{wrong}");
        }
        let lists = json!({ "items": { "type": "string" }, "minItems": 1, "maxItems": 2, "uniqueItems": true });
        assert!(errors(&lists, &json!(["a", "b"])).is_empty());
        for wrong in [json!([]), json!(["a", "a"]), json!(["a", "b", "c"]), json!([1])] {
            assert_eq!(errors(&lists, &wrong).len(), 1, "{wrong}");
        }
    }
}
