//! Tests of the program as people meet it: arguments in, text and exit code out.

mod bad_input;
mod errors;
mod gannet;
mod help;
mod kept;
mod kill;
mod limits;
mod one_shot;
mod politeness;
mod power_cut;
mod process;
mod served;
mod stop;
