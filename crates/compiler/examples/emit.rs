//! Writes the modules of its arguments to a folder: `emit FOLDER INPUT… [-- COMPILER FLAG…]`.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};

use compiler::{Input, Request, compile};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = arguments.splitn(2, |word| word == "--");
    let (folder, inputs) = parts
        .next()
        .and_then(<[String]>::split_first)
        .ok_or("usage: emit FOLDER INPUT... [-- COMPILER FLAG...]")?;
    let inputs = inputs.iter().map(|path| Input::of(Path::new(path))).collect::<Result<_, _>>()?;
    let mut request = Request::new(inputs, std::env::current_dir()?);
    request.flags = parts.next().unwrap_or_default().to_vec();
    let compiled = compile(&request)?;
    std::fs::create_dir_all(folder)?;
    for (number, module) in compiled.modules.iter().enumerate() {
        let name = module.name.replace(['/', ' '], "_");
        let file = PathBuf::from(folder).join(format!("{number:03}-{name}.ll"));
        std::fs::write(&file, &module.text)?;
        println!("{} {} bytes", file.display(), module.text.len());
    }
    println!("{} modules, {} from the cache", compiled.modules.len(), compiled.reused);
    for note in &compiled.notes {
        println!("note: {note}");
    }
    Ok(())
}
