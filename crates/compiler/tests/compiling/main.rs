//! The real clang, rustc and cargo, on small programs in temporary folders.

mod c;
mod cache;
mod database;
mod overrides;
mod package;
mod recording;
mod rust;
mod support;
