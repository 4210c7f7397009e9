#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wit_fuzz::operations::cursors(data));
