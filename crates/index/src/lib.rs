//! Terms to postings to candidates: documents in, matches with their numbers out. The only crate that names the index
//! library.
