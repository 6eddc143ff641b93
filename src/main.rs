//! The `myriad` program: read the command line, choose a verb, print the outcome.

fn main() {}
