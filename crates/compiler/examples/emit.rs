//! Writes the modules of its arguments to a folder: `emit FOLDER INPUT… [-- COMPILER FLAG…]`. Of a
//! recording, an input `FOLDER:PROGRAM` is one program.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use compiler::{Failure, Input, Recording, Request, compile};

fn main() -> ExitCode {
    match emit() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn input(text: &String) -> Result<Input, Failure> {
    match text.split_once(':') {
        Some((folder, program)) => {
            Ok(Input::Recording(Recording { folder: folder.into(), program: Some(program.into()) }))
        }
        None => Input::of(Path::new(text)),
    }
}

fn emit() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = arguments.splitn(2, |word| word == "--");
    let (folder, inputs) = parts
        .next()
        .and_then(<[String]>::split_first)
        .ok_or("usage: emit FOLDER INPUT... [-- COMPILER FLAG...]")?;
    let inputs = inputs.iter().map(input).collect::<Result<_, _>>()?;
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
