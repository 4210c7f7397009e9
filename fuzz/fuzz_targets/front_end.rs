#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| wit_fuzz::front_end::front_end(data));
