#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wit_fuzz::corpus::frames_text(data));
