//! Tests of the program as people meet it: arguments in, text and exit code out.

mod errors;
mod gannet;
mod help;
mod one_shot;
