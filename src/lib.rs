//! Myriad: the application as a library, so that tests and benches can use it.
