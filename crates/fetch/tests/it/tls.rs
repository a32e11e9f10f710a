//! TLS with a certificate authority of the test's own.
