//! Makes the page: `cargo run -p fencewright-playground --example page -- ENGINE.wasm PAGE.html`.

mod bundle;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, page] = arguments.as_slice() else {
        return Err("usage: page ENGINE.wasm PAGE.html".into());
    };
    bundle::bundle(Path::new(engine), Path::new(page))
}
