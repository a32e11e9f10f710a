//! Tests of the program as people meet it: arguments in, text and exit code out.

mod errors;
mod gannet;
mod help;
mod kept;
mod kill;
mod one_shot;
mod politeness;
mod process;
mod served;
