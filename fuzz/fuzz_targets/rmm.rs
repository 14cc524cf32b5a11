#![no_main]

use frontend::Language;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fencewright_fuzz::check(Language::Rmm, data));
