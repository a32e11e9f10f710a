//! The archive as a whole: written, read back, indexed, checked, and read by other people's tools.

mod damage;
mod python;
mod round_trip;
mod samples;
mod warcio;
