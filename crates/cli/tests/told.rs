//! Final states of litmus tests as they are told: in the types that the test declares, addresses by
//! the names of their locations, in text and in JSON.

use std::io::Write;
use std::process::{Command, Stdio};

const TEST: &str = "AArch64 told
{ uint8_t b=-1; 0:X0=b; int64_t t[2]; 0:X2=t; uint64_t 0:X3; }
 P0 ;
 LDRB W1,[X0] ;
 MVN X3,XZR ;
 ADD X4,X2,#8 ;
locations [b;0:X0;0:X1;0:X3;0:X4;]
";

fn outcomes(format: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["outcomes", "-", "--lang", "litmus", "--format", format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("fencewright can be started");
    let mut pipe = child.stdin.take().expect("its input");
    pipe.write_all(TEST.as_bytes()).expect("it reads");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn in_text_and_in_json() {
    let state = "b=255; 0:X0=b; 0:X1=255; 0:X3=18446744073709551615; 0:X4=t[1];";
    let text = outcomes("text");
    assert!(text.contains(state), "{text}");
    let json = outcomes("json");
    let state = r#"{"0:X0":"b","0:X1":255,"0:X3":18446744073709551615,"0:X4":"t[1]","b":255}"#;
    assert!(json.contains(state), "{json}");
}
