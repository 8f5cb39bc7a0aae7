//! Plain code: the reference for the others.

use super::{Activation, GROUP, MIDDLE, UPPER, Weight};

pub(super) fn update(target: &mut [i16], source: &[i16], weights: &[i16], adds: &[u16], removes: &[u16]) {
    let n = target.len();
    target.copy_from_slice(source);
    let row = |index: u16| &weights[usize::from(index) * n..][..n];
    for &index in adds {
        target.iter_mut().zip(row(index)).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
    }
    for &index in removes {
        target.iter_mut().zip(row(index)).for_each(|(sum, w)| *sum = sum.wrapping_sub(*w));
    }
}

pub(super) fn dot(sums: &[i16], weights: &[i16]) -> i32 {
    let term = |(&sum, &w): (&i16, &i16)| {
        let v = i32::from(sum).clamp(0, 255);
        v * v * i32::from(w)
    };
    sums.iter().zip(weights).map(term).fold(0, i32::wrapping_add)
}

pub(super) fn squares(sums: &[i16], out: &mut [Activation]) {
    out.iter_mut().zip(sums).for_each(|(out, &sum)| {
        let v = i32::from(sum).clamp(0, 255);
        *out = ((v * v) >> 9) as Activation;
    });
}

pub(super) fn middle(inputs: &[Activation], weights: &[Weight], sums: &mut [i32; MIDDLE]) {
    for (group, rows) in inputs.chunks_exact(GROUP).zip(weights.chunks_exact(GROUP * MIDDLE)) {
        for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(GROUP)) {
            *sum += group.iter().zip(row).map(|(&v, &w)| i32::from(v) * i32::from(w)).sum::<i32>();
        }
    }
}

pub(super) fn upper(inputs: &[i16; MIDDLE], weights: &[i16], sums: &mut [i32; UPPER]) {
    for (pair, rows) in inputs.chunks_exact(2).zip(weights.chunks_exact(2 * UPPER)) {
        for (sum, w) in sums.iter_mut().zip(rows.chunks_exact(2)) {
            *sum += i32::from(pair[0]) * i32::from(w[0]) + i32::from(pair[1]) * i32::from(w[1]);
        }
    }
}
