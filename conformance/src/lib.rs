//! The security conformance kit.
