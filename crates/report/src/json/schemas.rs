//! The published schemas (JSON Schema, draft 2020-12) of all documents, made of the types that are serialised.
//!
//! A consumer may meet members that its schema does not know: within a version members are added. So schemas
//! allow others; a test forbids them, and so sees to it that no document says more than its schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::{
    Conversion, Noted, check, confirm, cover, cycles, errors, fence, outcomes, program_json, reach,
    run,
};

/// Two forms of one document.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "this is a schema and has no values")]
enum Either<One, Other> {
    One(One),
    Other(Other),
}

type With<Document> = Noted<'static, Document>;

/// All documents, each with its name, what it is and its schema.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        schema::<errors::Document<'static>>(
            "fencewright.errors/1",
            "An input with errors (exit code 2).",
        ),
        schema::<program_json::Document<'static>>(
            "fencewright.show/1",
            "A program as it was understood: `show`.",
        ),
        schema::<Conversion<'static>>(
            "fencewright.convert/1",
            "A program in another language: `convert`.",
        ),
        schema::<Either<run::Document<'static>, run::Undecided<'static>>>(
            "fencewright.simulate/1",
            "A random run: `simulate`.",
        ),
        schema::<With<reach::Document<'static>>>(
            "fencewright.reach/1",
            "Whether an error, a deadlock, a forbidden final state or a goal can be reached: `reach`.",
        ),
        schema::<With<check::Document<'static>>>(
            "fencewright.check/2",
            "Whether the program behaves under TSO as under SC: `check`.",
        ),
        schema::<With<fence::Document<'static>>>(
            "fencewright.fence/1",
            "The cheapest changes after which a criterion holds: `fence`.",
        ),
        schema::<fence::List<'static>>(
            "fencewright.fence-list/1",
            "Where something can be changed: `fence --list`.",
        ),
        schema::<Either<With<cycles::Document<'static>>, cycles::Unknown<'static>>>(
            "fencewright.cycles/1",
            "Delays on critical cycles, and the fences and orders against them: `check`, `fence` and `port` by the \
             static method.",
        ),
        schema::<Either<With<outcomes::Document<'static>>, run::Undecided<'static>>>(
            "fencewright.outcomes/1",
            "The final states under a memory model: `outcomes`.",
        ),
        schema::<Either<With<confirm::Document<'static>>, run::Undecided<'static>>>(
            "fencewright.confirm/1",
            "What the machine showed: `confirm`.",
        ),
        schema::<confirm::AsCompiled<'static>>(
            "fencewright.confirm-as-compiled/1",
            "How runs of a compiled program ended: `confirm --as-compiled`.",
        ),
        schema::<cover::Document<'static>>(
            "fencewright.cover/1",
            "Whether a net can cover a target: `cover`.",
        ),
        schema::<crate::batch::Row>(
            "fencewright.batch/1",
            "What is known of a package on a machine: a line of `batch`.",
        ),
        schema::<crate::shards::Part>(
            "fencewright.shard/1",
            "The end of one part of many programs: the last line with `--shard`.",
        ),
    ]
}

/// The schema of one kind of document, which says its name.
fn schema<Document: JsonSchema>(name: &'static str, meaning: &str) -> (&'static str, Value) {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema: Schema = generator.into_root_schema_for::<Document>();
    schema.insert("title".to_owned(), json!(name));
    schema.insert("description".to_owned(), json!(meaning));
    let mut schema = schema.to_value();
    named(&mut schema, name);
    (name, schema)
}

/// Every `schema` member that a document begins with is its name.
fn named(schema: &mut Value, name: &str) {
    if let Some(member) = schema.pointer_mut("/properties/schema") {
        *member =
            json!({ "const": name, "description": "The name and the version of this format." });
    }
    for form in ["anyOf", "oneOf"] {
        for one in schema.get_mut(form).and_then(Value::as_array_mut).into_iter().flatten() {
            named(one, name);
        }
    }
    for one in schema.get_mut("$defs").and_then(Value::as_object_mut).into_iter().flatten() {
        named(one.1, name);
    }
}
