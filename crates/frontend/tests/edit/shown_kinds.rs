//! What fences of all kinds look like in texts.

use expect_test::expect;
use frontend::Language;
use program::FenceKind;

use super::shown::{At, SB, changes, check};
use super::{FULL, edited};

#[test]
fn fw_kinds() {
    use FenceKind::{Acquire, Lightweight, LoadLoad, Release, StoreStore};
    let text = "\
shared x, y
thread p {
  local r
  x = 1 // first
  here: y = 2
  if y == 1 { } else { r = x; x = 3 }
}
thread q {}
";
    let places = [
        At::KindAfter("x = 1", StoreStore),
        At::KindBefore("y = 2", Release),
        At::KindAfter("y == 1 {", LoadLoad),
        At::KindAfter("y == 1 {", Acquire),
        At::KindAfter("r = x", Acquire),
        At::KindAfter("r = x", FULL),
        At::KindAfter("x = 3", Lightweight),
        At::KindAfter("thread q {", StoreStore),
        At::KindBefore("}\nthread q", Release),
        At::KindBefore("}\nthread q", StoreStore),
    ];
    check(
        Language::Fw,
        text,
        &places,
        &expect![[r#"
        shared x, y
        thread p {
          local r
          x = 1 // first
          fence(store_store)
          here: fence(release)
          y = 2
          if y == 1 { fence(load_load); fence(acquire) } else { r = x; fence; fence(acquire); x = 3; fence(lightweight) }
          fence(store_store)
          fence(release)
        }
        thread q { fence(store_store) }
    "#]],
    );
}

/// In the case of the other instructions.
#[test]
fn arm_kinds() {
    use FenceKind::{Acquire, Control, StoreStore};
    let aarch64 = "AArch64 s
{ 0:X1=x; 0:X3=y; 1:X1=x; }
 P0          | P1          ;
 MOV W0,#1   | L: CBZ W0,L ;
 STR W0,[X1] | LDR W0,[X1] ;
 LDR W2,[X3] |             ;
exists (0:X2=0)
";
    let places = [
        At::KindAfter("STR W0,[X1]", FULL),
        At::KindAfter("STR W0,[X1]", StoreStore),
        At::KindAfter("LDR W2,[X3]", Acquire),
        At::KindBefore("CBZ W0,L", Control),
        At::KindBefore("CBZ W0,L", Acquire),
    ];
    check(
        Language::Litmus,
        aarch64,
        &places,
        &expect![[r#"
        AArch64 s
        { 0:X1=x; 0:X3=y; 1:X1=x; }
         P0          | P1          ;
                     | L: DMB LD   ;
                     | ISB         ;
         MOV W0,#1   | CBZ W0,L    ;
         STR W0,[X1] | LDR W0,[X1] ;
         DMB SY      |             ;
         DMB ST      |             ;
         LDR W2,[X3] |             ;
         DMB LD      |             ;
        exists (0:X2=0)
    "#]],
    );
    let arm = "ARM s
{ 0:R1=x; }
 P0          ;
 mov R0,#1   ;
 str R0,[R1] ;
exists (x=1)
";
    let places = [
        At::KindAfter("mov R0,#1", FULL),
        At::KindAfter("str R0,[R1]", StoreStore),
        At::KindAfter("str R0,[R1]", Control),
    ];
    check(
        Language::Litmus,
        arm,
        &places,
        &expect![[r#"
        ARM s
        { 0:R1=x; }
         P0          ;
         mov R0,#1   ;
         dmb         ;
         str R0,[R1] ;
         dmb st      ;
         isb         ;
        exists (x=1)
    "#]],
    );
}

#[test]
fn litmus_kinds() {
    use FenceKind::{Control, Lightweight, LoadLoad, StoreStore};
    let power = "PPC s
{ 0:r1=x; }
 P0           ;
 li r0,1      ;
 stw r0,0(r1) ;
exists (x=1)
";
    let places = [
        At::KindBefore("li r0,1", Lightweight),
        At::KindAfter("li r0,1", StoreStore),
        At::KindAfter("stw r0,0(r1)", FULL),
        At::KindAfter("stw r0,0(r1)", Control),
    ];
    check(
        Language::Litmus,
        power,
        &places,
        &expect![[r#"
        PPC s
        { 0:r1=x; }
         P0           ;
         lwsync       ;
         li r0,1      ;
         eieio        ;
         stw r0,0(r1) ;
         sync         ;
         isync        ;
        exists (x=1)
    "#]],
    );
    let places = [At::KindAfter("MOV [x],$1", StoreStore), At::KindBefore("MOV EAX,[x]", LoadLoad)];
    check(
        Language::Litmus,
        SB,
        &places,
        &expect![[r#"
        X86 SB
        (* store buffering *)
        { }
         P0          | P1          ;
         MOV [x],$1  | MOV [y],$1  ; (* stores *)
         SFENCE      | LFENCE      ;
         MOV EAX,[y] | MOV EAX,[x] ; (* loads *)
        exists (0:EAX=0 /\ 1:EAX=0)
    "#]],
    );
    let riscv = "RISCV s
{ 0:x6=x; }
 P0          ;
 ori x5,x0,1 ;
 sw x5,0(x6) ;
exists (x=1)
";
    let places = FenceKind::ALL.map(|kind| At::KindAfter("sw x5,0(x6)", kind));
    check(
        Language::Litmus,
        riscv,
        &places,
        &expect![[r#"
        RISCV s
        { 0:x6=x; }
         P0          ;
         ori x5,x0,1 ;
         sw x5,0(x6) ;
         fence rw,rw ;
         fence.tso   ;
         fence w,w   ;
         fence r,r   ;
         fence r,w   ;
         fence w,r   ;
         fence r,rw  ;
         fence rw,w  ;
         fence.i     ;
        exists (x=1)
    "#]],
    );
}

/// Fences are known in every spelling; one that comes back as it was keeps its own.
#[test]
fn litmus_spellings() {
    for (arch, [registers, spelled, other], kind) in [
        ("AArch64", ["0:X1=x;", "DMB ISH", "DMB SY"], FULL),
        ("AArch64", ["0:X1=x;", "DMB.ST", "DMB ST"], FenceKind::StoreStore),
        ("AArch64", ["0:X1=x;", "DSB LD", "DMB LD"], FenceKind::Acquire),
        ("ARM", ["0:R1=x;", "DMB SY", "DMB"], FULL),
        ("PPC", ["0:r1=x;", "hwsync", "sync"], FULL),
        ("RISCV", ["0:x6=x;", "fence iorw,iorw", "fence rw,rw"], FULL),
        ("X86", ["x=1;", "mfence", "MFENCE"], FULL),
    ] {
        let with =
            |fence: &str| format!("{arch} t\n{{ {registers} }}\n P0 ;\n {fence} ;\nexists (x=1)\n");
        let text = with(spelled);
        let gone = edited(Language::Litmus, &text, &changes(&text, &[At::Remove(spelled)]));
        assert_eq!(gone, format!("{arch} t\n{{ {registers} }}\n P0 ;\nexists (x=1)\n"));
        let put_back = [At::Remove(spelled), At::KindAfter(spelled, kind)];
        assert_eq!(edited(Language::Litmus, &text, &changes(&text, &put_back)), text);
        // Another kind of fence, and then this one, in the usual spelling.
        let control = if arch == "X86" { FenceKind::LoadLoad } else { FenceKind::Control };
        let replaced = [At::Remove(spelled), At::KindAfter(spelled, control)];
        let replaced = edited(Language::Litmus, &text, &changes(&text, &replaced));
        let fence = replaced.lines().nth(3).expect("a row").trim_end_matches(';').trim();
        let again = [At::Remove(fence), At::KindAfter(fence, kind)];
        let again = edited(Language::Litmus, &replaced, &changes(&replaced, &again));
        let fence = again.lines().nth(3).expect("a row").trim_end_matches(';').trim();
        assert!(fence.eq_ignore_ascii_case(other), "{again}");
    }
}
