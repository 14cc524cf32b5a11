//! Critical cycles as pictures: a column for each thread that a cycle visits. What the machine may reorder stands
//! out.

use cycles::answer::{ShownAccess, ShownVisit};
use program::Sources;
use workspace::CyclesAnswer;

use crate::cycles_text::{communication, letter, memory};
use crate::fence::excerpt;
use crate::picture::{Arrow, Column, EventBox, Picture};

/// The cycles of an answer: all if they were asked for, otherwise one for each delay shown.
pub(crate) fn shown(answer: &CyclesAnswer) -> Vec<&[ShownVisit]> {
    match &answer.cycles {
        Some((cycles, _)) => cycles.iter().map(Vec::as_slice).collect(),
        None => answer.found.shown.iter().map(|delay| delay.cycle.as_slice()).collect(),
    }
}

/// A picture of each of them.
pub(crate) fn of_answer(sources: &Sources, answer: &CyclesAnswer) -> Vec<Picture> {
    let drawn = shown(answer).into_iter().enumerate();
    drawn.map(|(number, cycle)| of_cycle(sources, cycle, number + 1)).collect()
}

fn of_cycle(sources: &Sources, cycle: &[ShownVisit], number: usize) -> Picture {
    let event = |access: &ShownAccess, id: String, is_shown: bool| {
        let place = access.span.source.map(|source| {
            let (line, _) = sources.line_column(source, access.span.start);
            format!("{}:{line}", sources.name(source))
        });
        EventBox {
            id,
            line: place.unwrap_or_default(),
            code: excerpt(sources, access.span),
            effect: format!("{} {}", letter(access.direction), memory(access)),
            is_shown,
        }
    };
    let id = |at: usize, which: usize| format!("v{at}_{which}");
    let (mut columns, mut arrows) = (Vec::new(), Vec::new());
    for (at, visit) in cycle.iter().enumerate() {
        let is_delay = at == 0;
        let mut boxes = vec![event(&visit.first, id(at, 0), is_delay)];
        if let Some(second) = &visit.second {
            boxes.push(event(second, id(at, 1), is_delay));
            arrows.push(Arrow::new(id(at, 0), id(at, 1), "po", is_delay));
        }
        columns.push(Column { name: visit.thread.clone(), boxes });
        let (next, last) = ((at + 1) % cycle.len(), usize::from(visit.second.is_some()));
        let relation = communication(visit.then);
        arrows.push(Arrow::new(id(at, last), id(next, 0), relation, false));
    }
    Picture { title: format!("critical cycle {number}"), columns, arrows, omitted: 0 }
}
