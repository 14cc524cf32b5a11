//! A dependency orders an access and the last execution of the read it comes from, on every path or not at
//! all: programs in which something else was easily believed.

use ::cycles::Arch;
use frontend::{Language, Settings, load};
use program::{Program, Sources};

use crate::common::{has_weak_execution, is_robust, model};

fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The other half of load buffering, which is in order.
const ANSWER: &str = "thread b { local s; s = y[1]; x[0] = 1 + s - s }\n";

#[test]
fn dependencies_are_not_believed_where_there_are_none() {
    let cases = [
        // The second store depends on the second load, and not on the first.
        "thread a { local r, k; while k < 2 { r = x[k]; y[k] = r + k; k = k + 1 } }\n",
        // What is stored comes from the load on one path only.
        "thread a { local r, f; r = x[0]; f = r; if z == 0 { r = 1 }; y[1] = r + 1 }\n",
        "thread a { local r, f; r = x[0]; f = r; if z == 1 { r = r } else { r = 1 }; y[1] = r + 1 }\n",
    ];
    for case in cases {
        let program = program(&format!("shared x[2], y[2], z\n{case}{ANSWER}"));
        for arch in [Arch::AArch64, Arch::Power, Arch::ArmV7, Arch::RiscV] {
            let model = model(arch);
            assert!(has_weak_execution(&program, model), "{case} on {}", arch.name());
            assert!(!is_robust(&program, arch), "{case} on {}", arch.name());
        }
    }
}

#[test]
fn dependencies_are_believed_where_they_are() {
    let program = program(&format!(
        "shared x[2], y[2]\nthread a {{ local r; r = x[0]; y[1] = r }}\n{ANSWER}"
    ));
    for arch in [Arch::AArch64, Arch::Power, Arch::ArmV7, Arch::RiscV] {
        assert!(is_robust(&program, arch), "{}", arch.name());
    }
}

/// Control fences of Power and Arm order loads. That of RISC-V orders none, and SPARC has none.
#[test]
fn control_fences_order_loads_where_machines_have_them() {
    let program = program(
        "shared x, y
thread p0 { store(x, 1, relaxed); fence; store(y, 1, relaxed) }
thread p1 { local a, b; a = load(y, relaxed); if a == 1 { fence(control); b = load(x, relaxed) } }
",
    );
    for arch in Arch::ALL {
        let is_weak = has_weak_execution(&program, model(arch));
        assert_eq!(is_weak, matches!(arch, Arch::Rmo | Arch::RiscV), "{}", arch.name());
        assert_eq!(is_robust(&program, arch), !is_weak, "{}", arch.name());
    }
}
