#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fencewright_fuzz::check_ir(data));
