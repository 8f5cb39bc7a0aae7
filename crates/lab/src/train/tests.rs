//! The float network against the engine's integers, its gradient against differences, and steps that learn.

use super::model::{Aim, Optimiser, Worker};
use super::records::Record;
use super::weights::Weights;
use rukh_core::{Chess, Position, Variant};
use rukh_eval::nnue::{Layers, Network, Zones, embedded};
use rukh_store::selfplay::FlatRecord;

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "6k1/5ppp/8/2n5/8/3P4/5PPP/3Q2K1 b - - 0 1",
];

fn records() -> Vec<Record> {
    FENS.iter()
        .zip([80, -40, 10, -600])
        .map(|(fen, score)| FlatRecord::new(&Position::<Chess>::from_fen(fen).expect(fen), score, 1, false).0)
        .collect()
}

/// The head of a file without weights.
fn head(scale: u32) -> Layers {
    Layers {
        variant: Variant::Chess,
        scale,
        zones: Zones::default(),
        first: Vec::new(),
        first_bias: Vec::new(),
        second: Vec::new(),
        second_bias: Vec::new(),
        deep: None,
        recipe: "test".into(),
    }
}

/// Random weights whose inner layers are as loud as the direct output.
fn random(inner: bool) -> Weights {
    let mut weights = Weights::random(64, 8, inner, 3);
    let last = weights.parts().last;
    weights.all[last].iter_mut().for_each(|w| *w *= 8.0);
    weights.clip();
    weights
}

/// The floats' values of the positions, in centipawns.
fn values(weights: &Weights, scale: u32) -> Vec<f32> {
    let (mut worker, records) = (Worker::new(weights), records());
    let aim = Aim { scale: scale as f32, wdl: 0.0 };
    worker.take(records.iter().map(|record| (record, aim)));
    worker.forward(weights);
    (0..records.len()).map(|n| worker.value(weights, n) * scale as f32).collect()
}

#[test]
fn values_are_the_engines() {
    let own = embedded::<Chess>().expect("a network is embedded").layers();
    for layers in [own, random(false).to_layers(head(300)), random(true).to_layers(head(300))] {
        let weights = Weights::from_layers(&layers);
        assert_eq!(weights.inner, layers.deep.is_some());
        assert!(
            weights.to_layers(head(layers.scale)) == Layers { recipe: "test".into(), ..layers.clone() },
            "there and back"
        );
        let network = Network::parse(&layers.to_bytes().expect("within bounds")).expect("just written");
        for (fen, value) in FENS.iter().zip(values(&weights, layers.scale)) {
            let exact = network.reference(&Position::<Chess>::from_fen(fen).expect(fen));
            assert!((value - exact as f32).abs() < 3.0, "{fen}: {value} for {exact}");
        }
    }
}

/// What steps see is what the file will hold, but for biases, whose units are small.
#[test]
fn rounded_weights_are_the_files() {
    for inner in [false, true] {
        let weights = random(inner);
        let mut rounded = weights.clone();
        rounded.round(&weights);
        let file = Weights::from_layers(&weights.to_layers(head(300)));
        let apart = |a: &Weights, b: &Weights| a.all.iter().zip(&b.all).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart(&rounded, &file) < 1e-4 && apart(&weights, &file) > 1e-3);
    }
}

#[test]
fn other_centipawns_are_the_same_values() {
    for inner in [false, true] {
        let mut weights = random(inner);
        let before = values(&weights, 300);
        weights.stretch(300.0 / 400.0);
        for (before, after) in before.into_iter().zip(values(&weights, 400)) {
            assert!((before - after).abs() < 0.1, "{before} became {after}");
        }
    }
}

/// The gradient against differences of the loss itself.
#[test]
fn gradients_are_slopes() {
    for inner in [false, true] {
        // Without the engine's steps, which have no slope.
        let mut weights = Weights { exact: false, ..random(inner) };
        let aim = Aim { scale: 200.0, wdl: 0.3 };
        let records = records();
        let mut worker = Worker::new(&weights);
        worker.learn(&weights, records.iter().map(|record| (record, aim)));
        let gradient = std::mem::take(&mut worker.gradient);
        let mut judge = Worker::new(&weights);
        let parts = weights.parts();
        let groups = [
            ("first", parts.first, 211),
            ("first bias", parts.first_bias, 7),
            ("second", parts.second, 13),
            ("second bias", parts.second_bias, 1),
            ("middle", parts.middle, 17),
            ("middle bias", parts.middle_bias, 1),
            ("upper", parts.upper, 7),
            ("upper bias", parts.upper_bias, 1),
            ("last", parts.last, 1),
        ];
        for (name, part, apart) in groups {
            let mut mattered = 0;
            let some = !part.is_empty();
            for at in part.step_by(apart) {
                const STEP: f32 = 4e-3;
                let old = weights.all[at];
                let mut loss = |w: f32| {
                    weights.all[at] = w;
                    judge.judge(&weights, &records, [aim; 3])[0]
                };
                let slope = (loss(old + STEP) - loss(old - STEP)) / f64::from(2.0 * STEP);
                weights.all[at] = old;
                let found = f64::from(gradient[at]);
                assert!((slope - found).abs() < 5e-4 + 0.03 * slope.abs(), "{name} {at}: {found} for {slope}");
                mattered += usize::from(slope.abs() > 2e-3);
            }
            assert!(!some || mattered > 1, "only {mattered} weights mattered in {name}");
        }
    }
}

#[test]
fn steps_lower_the_loss_and_keep_the_bounds() {
    for inner in [false, true] {
        let mut weights = Weights::random(64, 8, inner, 3);
        let mut workers = vec![Worker::new(&weights), Worker::new(&weights)];
        let aim = Aim { scale: 200.0, wdl: 0.0 };
        let records = records();
        let mut optimiser = Optimiser::new(&weights, 0.01, 0.9);
        let mut losses = Vec::new();
        for _ in 0..200 {
            let (one, two) = records.split_at(2);
            let loss = workers[0].learn(&weights, one.iter().map(|r| (r, aim)))
                + workers[1].learn(&weights, two.iter().map(|r| (r, aim)));
            losses.push(loss);
            optimiser.step(&mut weights, &mut workers, records.len(), 0.01);
        }
        assert!(losses[199] < losses[0] / 20.0, "{} to {}", losses[0], losses[199]);
        let network = optimiser.mean.to_layers(head(200));
        assert!(Network::parse(&network.to_bytes().expect("within bounds")).is_ok());
    }
}
