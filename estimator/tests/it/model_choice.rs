//! Which model an estimate takes where none is asked for.

use crate::builder::*;
use base_data::comm_data::{CommData, LinkClass, ModelFit};
use base_data::platform_file::{PlatformFile, Progress};
use machine::Platform;

/// A platform with fits of these models between its nodes; what is unknown has another's parameters.
fn with_models(models: &[&str], change: impl Fn(&mut PlatformFile)) -> Platform {
    let (ns, per_byte) = ("ns", "ns/byte");
    let loggops = loggops(&[
        ("L", 50, ns),
        ("o", 10, ns),
        ("O", 0, per_byte),
        ("g", 30, ns),
        ("G", 2, per_byte),
    ]);
    let mut file = loggops.file().clone();
    change(&mut file);
    let known = [loggops, loggp_2(), loggps_shared(), mpiete()];
    let data = known
        .iter()
        .filter_map(|platform| platform.comm(LinkClass::BetweenNodes));
    let known: Vec<ModelFit> = data.flat_map(|data| data.fits.clone()).collect();
    let fit = |model: &&str| {
        let own = known
            .iter()
            .find(|fit| fit.model == *model)
            .unwrap_or(&known[0]);
        ModelFit {
            model: (*model).into(),
            ..own.clone()
        }
    };
    let fits = models.iter().map(fit).collect();
    let mut platform =
        Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform");
    platform
        .replace_comm(&CommData {
            fits,
            ..CommData::default()
        })
        .expect("its links");
    platform
}

fn chosen(
    models: &[&str],
    ranks: u32,
    change: impl Fn(&mut PlatformFile),
) -> Result<&'static str, String> {
    let platform = with_models(models, change);
    estimator::model_for(&platform, None, ranks).map_err(|error| error.to_string())
}

fn in_call(file: &mut PlatformFile) {
    file.progress = Progress::InCall;
}

#[test]
fn one_rank_takes_a_model_of_the_platform_too() {
    for ranks in [1, 4] {
        for model in ["loggps", "loggops", "loggp-2", "mpiete"] {
            assert_eq!(chosen(&[model], ranks, |_| {}).as_deref(), Ok(model));
        }
    }
}

#[test]
fn rules_rule_models_out() {
    let models = ["loggops", "loggp-2"];
    assert_eq!(chosen(&models, 4, |_| {}).as_deref(), Ok("loggops"));
    assert_eq!(chosen(&models, 4, in_call).as_deref(), Ok("loggp-2"));
    // Alone it is taken, for the sentence that says why it does not do.
    assert_eq!(chosen(&["loggops"], 4, in_call).as_deref(), Ok("loggops"));
    let refused = try_estimate(
        &program(vec![vec![work(1)]; 2], &[]),
        &with_models(&["loggops"], in_call),
        &means(),
    );
    assert!(
        refused
            .expect_err("it is refused")
            .to_string()
            .contains("asynchronous progress")
    );
}

#[test]
fn unknown_items_are_reported() {
    let refused = chosen(&["newer"], 4, |_| {}).expect_err("it is unknown");
    assert!(
        refused.contains("no parameters of any model known here")
            && refused.contains("found: newer;"),
        "{refused}"
    );
}
