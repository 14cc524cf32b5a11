//! Engines that run elsewhere than on this machine's processors.

use workspace::{Engine as Known, Reductions, Searcher};

use crate::arguments::cluster::Clustered;
use crate::arguments::search::{Engine, Search};
use crate::commands::worker;

/// The engine that was asked for, ready to search; nothing if it is not one that gets tables. Otherwise
/// what is missing.
pub(crate) fn opened(
    engine: Engine,
    clustered: &Clustered,
    search: &Search,
) -> Result<Option<Searcher>, String> {
    if let Some(problem) = contradiction(engine, clustered, search) {
        return Err(problem.to_owned());
    }
    match engine {
        Engine::Fencewright if clustered.is_asked_for() => {
            worker::started(clustered, search.threads.map(usize::from)).map_err(|why| why.0)
        }
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
            Ok(Some(Searcher { engine: Known::Cuda, tables: Box::leak(Box::new(card)) }))
        }
    }
}

/// Why an engine cannot search like that: an option that would be ignored is refused.
fn contradiction(engine: Engine, clustered: &Clustered, search: &Search) -> Option<&'static str> {
    let is_elsewhere = match engine {
        Engine::Fencewright => clustered.is_asked_for(),
        Engine::Spin | Engine::Cuda if clustered.is_asked_for() => {
            return Some(
                "`--cluster` and `--processes` are for Fencewright's own engine: leave out `--engine`",
            );
        }
        Engine::Spin => false,
        Engine::Cuda if search.threads.is_some() => {
            return Some("`--threads` is about processors: leave it out with `--engine cuda`");
        }
        Engine::Cuda => true,
    };
    let is_made = |reductions: Reductions| {
        let Reductions { locked_sections, partial_order, symmetry, .. } = reductions;
        !(locked_sections || partial_order || symmetry)
    };
    (is_elsewhere && !search.reductions.is_none_or(is_made)).then_some(
        "graphics cards and clusters explore every state: of the reductions, only `dead-registers` and \
         `local-steps` are made there",
    )
}
