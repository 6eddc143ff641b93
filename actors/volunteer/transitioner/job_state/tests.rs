//! Field cases.
