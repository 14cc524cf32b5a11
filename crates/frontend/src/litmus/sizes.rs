//! Accesses of different sizes to the same bytes: memory by bytes, as far as that is needed.
//!
//! Threads are lowered as if each location were accessed as a whole. If an access may hit a location with
//! another width than it has ([`super::pointers`]), the elements of that location are divided into cells as
//! narrow as the narrowest access, and every access that may hit it becomes one across cells
//! (`program::footprint`). All other locations and accesses stay as they are.
//!
//! The least significant byte comes first, as on all machines whose tests are read here but Power, which
//! can do either: there such a test is refused.

use program::validate::Defect;
use program::{
    Access, AccessWidth, BinaryOp, Diagnostic, Diagnostics, Domain, Edge, Expr, IndexVec, Initial,
    Instruction, Location, LocationId, Observable, Program, ProgramBuilder, Question, Template,
    TemplateId, Value,
};

use super::machine::{domain_bits, held, signed, unsigned};
use super::pointers::{Bases, Pointers};

/// The program with its memory divided as its accesses need it, or what is accessed beyond its end.
pub(super) fn divided(program: Program) -> Result<Program, Diagnostics> {
    let pointers = Pointers::new(&program);
    let narrowest = narrowest(&program, &pointers);
    if narrowest.iter().all(Option::is_none) {
        return Ok(program);
    }
    let errors = too_wide(&program, &pointers);
    if !errors.is_empty() {
        return Err(errors);
    }
    let division = Division { program: &program, narrowest, pointers };
    division.program().map_err(|defects| defects.into_iter().map(Diagnostic::from).collect())
}

/// The accesses that are wider than what they may hit.
fn too_wide(program: &Program, pointers: &Pointers<'_>) -> Diagnostics {
    let mut errors = Vec::new();
    for (edge, bases) in accesses(program, pointers) {
        let Some((_, access)) = edge.instruction.memory_access() else { continue };
        for base in bases {
            let location = program.memory().location(base);
            let bytes = u64::from(access_bits(access.width, location.domain) / 8);
            let there = location.cells() * u64::from(domain_bits(location.domain) / 8);
            if bytes > there {
                let name = &location.name;
                let message =
                    format!("this may access {bytes} bytes of `{name}`, which has {there}");
                let error = Diagnostic::new(edge.span, message)
                    .help(format!("declare it wider, as in `uint64_t {name};`"));
                errors.push(error.related(location.span, "this is accessed"));
                break;
            }
        }
    }
    errors.dedup_by_key(|error| error.span);
    errors
}

/// What is wrong with the sizes of accesses where they must not differ.
pub(super) fn check(program: &Program) -> Diagnostics {
    let memory = program.memory();
    let mut errors = Vec::new();
    for (edge, bases) in accesses(program, &Pointers::new(program)) {
        let Some((_, access)) = edge.instruction.memory_access() else { continue };
        let other = bases.iter().find(|base| !access.width.fits(memory.location(**base).domain));
        if let Some(other) = other {
            let location = memory.location(*other);
            let message =
                format!("this may access `{}` with another width than it has", location.name);
            let help = "all accesses to a location must be as wide as it is here, since Power can have \
                        either byte of a number first";
            let error = Diagnostic::new(edge.span, message).help(help);
            errors.push(error.related(location.span, "declared here"));
        }
    }
    errors.dedup_by_key(|error| error.span);
    errors
}

/// All accesses to memory, and what they may hit.
fn accesses<'a>(
    program: &'a Program,
    pointers: &'a Pointers<'_>,
) -> impl Iterator<Item = (&'a Edge, Bases)> {
    program.templates().iter().enumerate().flat_map(move |(number, template)| {
        template.edges().iter().filter_map(move |edge| {
            let (address, _) = edge.instruction.memory_access()?;
            Some((edge, pointers.hit(number, address)))
        })
    })
}

/// For each location that is accessed with different widths the least of them, in bits.
fn narrowest(program: &Program, pointers: &Pointers<'_>) -> IndexVec<LocationId, Option<u8>> {
    let locations = program.memory().locations();
    let mut least: IndexVec<LocationId, u8> =
        locations.iter().map(|location| domain_bits(location.domain)).collect();
    let mut differs: IndexVec<LocationId, bool> = locations.iter().map(|_| false).collect();
    for (edge, bases) in accesses(program, pointers) {
        let Some((_, access)) = edge.instruction.memory_access() else { continue };
        for base in bases {
            let domain = locations[base].domain;
            differs[base] |= !access.width.fits(domain);
            least[base] = least[base].min(access_bits(access.width, domain));
        }
    }
    least.iter().zip(&differs).map(|(bits, differs)| differs.then_some(*bits)).collect()
}

const fn access_bits(width: AccessWidth, hit: Domain) -> u8 {
    match width {
        AccessWidth::Cell => domain_bits(hit),
        AccessWidth::Bytes(bytes) => bytes * 8,
        AccessWidth::Across(int) => int.bits(),
    }
}

struct Division<'a> {
    program: &'a Program,
    /// How wide the cells become, where that changes.
    narrowest: IndexVec<LocationId, Option<u8>>,
    pointers: Pointers<'a>,
}

impl Division<'_> {
    fn program(&self) -> Result<Program, Vec<Defect>> {
        let mut builder = ProgramBuilder::new(self.program.name(), self.program.memory().outside());
        for (id, location) in self.program.memory().locations().enumerate() {
            builder.location(self.location(id, location));
        }
        for (id, template) in self.program.templates().enumerate() {
            builder.template(self.template(id, template));
        }
        builder.question(self.question());
        if let Some(architecture) = self.program.architecture() {
            builder.architecture(architecture);
        }
        builder.build()
    }

    /// How many cells an element of a location becomes.
    fn parts(&self, id: LocationId) -> u8 {
        let whole = domain_bits(self.program.memory().location(id).domain);
        self.narrowest[id].map_or(1, |bits| whole / bits)
    }

    fn location(&self, id: LocationId, location: &Location) -> Location {
        let Some(bits) = self.narrowest[id] else { return location.clone() };
        if self.parts(id) == 1 {
            // Elements stay as they are; some accesses cover several.
            return Location { stride: u64::from(bits / 8), ..location.clone() };
        }
        let (part, parts) = (unsigned(bits), self.parts(id));
        let values = (0..location.cells()).flat_map(|index| {
            let value = location.initial_value(index);
            (0..parts).map(move |number| part.wrap(value >> (number * bits)))
        });
        let length = location.cells() * u64::from(parts);
        Location {
            length: Some(length).filter(|cells| location.length.is_some() || *cells > 1),
            stride: u64::from(bits / 8),
            initial: match location.initial {
                Initial::Uniform(0) => Initial::Uniform(0),
                Initial::Uniform(_) | Initial::Each(_) => Initial::Each(values.collect()),
            },
            domain: Domain::Wrapping(part),
            parts,
            ..location.clone()
        }
    }

    fn template(&self, id: TemplateId, template: &Template) -> Template {
        template.with_instructions(|instruction| self.instruction(id, instruction))
    }

    fn instruction(&self, template: TemplateId, instruction: &Instruction) -> Instruction {
        let moved = |id: LocationId, index: &Expr| {
            let parts = Value::from(self.parts(id));
            let stays = parts == 1 || *index == Expr::Const(0);
            (!stays).then(|| Expr::binary(BinaryOp::Mul, index.clone(), Expr::Const(parts)))
        };
        let access = |address: &Expr, how: Access| self.access(template, address, how);
        instruction.rewritten(&|expr| expr.with_indices(&moved), &access)
    }

    fn access(&self, template: TemplateId, address: &Expr, access: Access) -> Access {
        use program::index::Idx;
        let memory = self.program.memory();
        let bases = self.pointers.hit(template.index(), address);
        let divided = bases.iter().find(|base| self.narrowest[**base].is_some());
        let Some(divided) = divided else { return access };
        let bits = access_bits(access.width, memory.location(*divided).domain);
        Access { width: AccessWidth::Across(signed(bits)), ..access }
    }

    fn question(&self) -> Question {
        let question = self.program.question();
        let memory = self.program.memory();
        let seen = |observable: Observable| match observable {
            Observable::Register { .. } | Observable::Across(..) => observable,
            Observable::Cell(address) => match memory.place(address) {
                Some((id, _)) if self.parts(id) > 1 => {
                    Observable::Across(address, held(memory.location(id).domain))
                }
                Some(_) | None => observable,
            },
        };
        Question { told_as: question.told_as.clone(), ..question.map(&seen) }
    }
}
