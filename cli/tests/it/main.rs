//! Tests of the program as a user runs it, and of the house it is built in.

mod bad_input;
mod help;
mod program;
mod tidy;
mod verify;
mod walk;
