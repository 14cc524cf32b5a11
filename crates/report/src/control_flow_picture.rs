//! Control flow as a picture: a column for each thread, its instructions in the order in which people read them, and
//! an arrow to whatever can come next.

use frontend::fw::Notation;
use program::index::Idx;
use program::{Count, EdgeId, LabelId, Program, Sources, Template, TemplateId};

use crate::fence::excerpt;
use crate::picture::{Arrow, Column, EventBox, Picture};
use crate::reading_order::reading_order;

/// The control flow of all threads, side by side.
pub(crate) fn of_program(program: &Program, sources: &Sources) -> Picture {
    let drawing = Drawing { sources, notation: Notation::new(program) };
    let mut picture = Picture {
        title: format!("control flow of {}", program.name()),
        columns: Vec::new(),
        arrows: Vec::new(),
        omitted: 0,
    };
    for (id, template) in program.templates().enumerate() {
        drawing.thread(&mut picture, id, template);
    }
    picture
}

struct Drawing<'a> {
    sources: &'a Sources,
    notation: Notation,
}

impl Drawing<'_> {
    fn thread(&self, picture: &mut Picture, id: TemplateId, template: &Template) {
        // Instructions are what is read; what can come first follows one that is not there.
        let start = template.edges().len();
        let after = |edge: usize| {
            if edge == start { template.initial() } else { template.edge(EdgeId::new(edge)).to }
        };
        let leads_to = |edge: usize| -> Vec<usize> {
            template.outgoing(after(edge)).map(Idx::index).collect()
        };
        let edges = reading_order(start + 1, start, leads_to);
        let name = |edge: EdgeId| format!("t{}e{}", id.index(), edge.index());
        let end = format!("t{}end", id.index());
        let ends = |label: LabelId| template.outgoing(label).len() == 0;
        let mut column = Column { name: shown_name(template), boxes: Vec::new() };
        let mut has_end = ends(template.initial());
        for edge in edges.into_iter().filter(|edge| *edge != start).map(EdgeId::new) {
            column.boxes.push(self.instruction(id, template, edge, name(edge)));
            let to = template.edge(edge).to;
            has_end |= ends(to);
            let next = template.outgoing(to).map(name);
            let next = next.chain(ends(to).then(|| end.clone()));
            picture.arrows.extend(next.map(|to| Arrow::new(name(edge), to, "po", false)));
        }
        if has_end {
            column.boxes.push(EventBox {
                id: end,
                line: String::new(),
                code: "end".to_owned(),
                effect: String::new(),
                is_shown: false,
            });
        }
        picture.columns.push(column);
    }

    /// An instruction as its author wrote it, and, where that is another language, as the model has it; with the label
    /// that it stands at.
    fn instruction(
        &self,
        id: TemplateId,
        template: &Template,
        edge: EdgeId,
        name: String,
    ) -> EventBox {
        let data = template.edge(edge);
        let label = &template.labels()[data.from];
        let at = (!label.generated).then(|| format!("@{}", label.name));
        let instruction = self.notation.instruction(id, data);
        let condition = instruction.strip_prefix("assume ").map(|is| format!("{is} holds"));
        let instruction = condition.unwrap_or(instruction);
        let written =
            if self.sources.have_code() { excerpt(self.sources, data.span) } else { String::new() };
        let (code, translated) =
            if written.is_empty() { (instruction, None) } else { (written, Some(instruction)) };
        let effect: Vec<String> = at.into_iter().chain(translated).collect();
        let line = data
            .span
            .source
            .map(|source| self.sources.line_column(source, data.span.start).0.to_string());
        EventBox {
            id: name,
            line: line.unwrap_or_default(),
            code,
            effect: effect.join("  "),
            is_shown: false,
        }
    }
}

/// The name of a thread, and how many copies it has.
fn shown_name(template: &Template) -> String {
    match template.count() {
        Count::Exactly(1) => template.name().to_owned(),
        Count::Exactly(count) => format!("{} ({count} copies)", template.name()),
        Count::Any => format!("{} (any number of copies)", template.name()),
    }
}
