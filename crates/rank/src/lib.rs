//! Numbers to a score, with an explanation: the formula, freshness, and how signals are added up.
