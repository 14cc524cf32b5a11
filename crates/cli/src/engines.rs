//! Engines that run elsewhere than on this machine's processors.

use workspace::{Elsewhere, Engine as Known};

use crate::arguments::cluster::Clustered;
use crate::arguments::search::{Engine, Search};
use crate::commands::worker;

/// The engine that was asked for, ready to search; nothing if it is not one that gets tables. Otherwise
/// what is missing.
pub(crate) fn opened(
    engine: Engine,
    clustered: &Clustered,
    search: &Search,
) -> Result<Option<Elsewhere>, String> {
    match engine {
        Engine::Fencewright if clustered.is_asked_for() => {
            worker::started(clustered, search.threads.map(usize::from)).map_err(|why| why.0)
        }
        Engine::Spin | Engine::Cuda if clustered.is_asked_for() => Err(
            "`--cluster` and `--processes` are for Fencewright's own engine: leave out `--engine`"
                .to_owned(),
        ),
        Engine::Fencewright | Engine::Spin => Ok(None),
        Engine::Cuda => {
            let card = gpu::Cuda::open(gpu::Room::default()).map_err(|why| {
                format!(
                    "{why}; `--engine cuda` needs an NVIDIA card with its driver and the CUDA compiler \
                     library, and searches the states of `reach` and `check` on it; without \
                     `--engine` the processors do"
                )
            })?;
            // It is used until the process ends.
            Ok(Some(Elsewhere { engine: Known::Cuda, tables: Box::leak(Box::new(card)) }))
        }
    }
}
