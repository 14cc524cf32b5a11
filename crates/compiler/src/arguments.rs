//! What a command line of a C compiler means.
