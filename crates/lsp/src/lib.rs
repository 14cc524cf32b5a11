//! Fencewright in editors, by the language server protocol (3.17): what is wrong with a program appears at its lines
//! when it is opened or saved, the run that shows it when somebody points there, and the proven repair as a quick
//! fix.
//!
//! One thread speaks the protocol, another one answers questions, one after the other. An edit makes what was asked
//! about the text before worthless: every document has a *generation* that edits increase, and searches look at it
//! ([`workspace::Workspace::watched_by`]). Models are read as they are in the editor, C and Rust as they are saved.

mod answers;
mod documents;
mod server;
mod uri;

use std::error::Error;

use lsp_server::Connection;

/// Serves an editor by standard input and output until it says goodbye. An error is one of the transport or a
/// violation of the protocol.
pub fn serve() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (connection, threads) = Connection::stdio();
    server::run(&connection)?;
    drop(connection);
    threads.join()?;
    Ok(())
}
