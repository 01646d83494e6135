//! What is written returns, in every form.

use crate::arbitrary::{Choices, choices};
use crate::{arbitrary_files, arbitrary_program};
use base_data::format::{FileContent, decode, encode, kind_of};
use base_data::program_text;
use proptest::prelude::*;
use std::fmt::Debug;

fn round_trips<T: FileContent + PartialEq + Debug>(content: &T) -> Result<(), TestCaseError> {
    let bytes = encode(content);
    prop_assert_eq!(kind_of(&bytes), Ok(T::KIND));
    let read = decode::<T>(&bytes);
    prop_assert_eq!(read.as_ref(), Ok(content));
    Ok(())
}

proptest! {
    #[test]
    fn program_data(mut choices in choices()) {
        round_trips(&arbitrary_program::program_data(&mut choices))?;
    }

    #[test]
    fn program_text(mut choices in choices()) {
        let data = arbitrary_program::program_data(&mut choices);
        let text = program_text::write(&data);
        let read = program_text::read(&text);
        prop_assert_eq!(read.as_ref(), Ok(&data), "{}", text);
        prop_assert_eq!(program_text::write(&data), text);
    }

    #[test]
    fn compute_data(mut choices in choices()) {
        round_trips(&arbitrary_files::compute_data(&mut choices))?;
    }

    #[test]
    fn comm_data(mut choices in choices()) {
        round_trips(&arbitrary_files::comm_data(&mut choices))?;
    }

    #[test]
    fn estimate(mut choices in choices()) {
        round_trips(&arbitrary_files::estimate(&mut choices))?;
    }

    #[test]
    fn observation(mut choices in choices()) {
        round_trips(&arbitrary_files::observation(&mut choices))?;
    }
}

#[test]
fn empty_arbitrary_program_is_valid() {
    let data = arbitrary_program::program_data(&mut Choices::of(Vec::new()));
    assert_eq!(program_text::read(&program_text::write(&data)), Ok(data));
}
