//! Plain code: the reference for the others.

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

pub(super) fn squares(sums: &[i16], out: &mut [i16]) {
    out.iter_mut().zip(sums).for_each(|(out, &sum)| {
        let v = i32::from(sum).clamp(0, 255);
        *out = ((v * v) >> 6) as i16;
    });
}

pub(super) fn layer<const OUT: usize>(inputs: &[i16], weights: &[i16], sums: &mut [i32; OUT]) {
    for (pair, row) in inputs.chunks_exact(2).zip(weights.chunks_exact(2 * OUT)) {
        if pair != [0, 0] {
            for (sum, w) in sums.iter_mut().zip(row.chunks_exact(2)) {
                *sum += i32::from(pair[0]) * i32::from(w[0]) + i32::from(pair[1]) * i32::from(w[1]);
            }
        }
    }
}
