//! Scores to frequencies.

use super::SYMBOLS;

/// Frequencies add up to this.
pub(crate) const TOTAL: u32 = 1 << 16;
/// Scores have 12 fractional bits, the table of powers 8.
pub(super) const SCORE_SHIFT: u32 = 4;

/// A table that begins with a cache line.
#[repr(align(64))]
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lines<T>(pub T);

/// The scores of a square, as wide as a cache line.
pub(crate) type Scores = Lines<[i32; SYMBOLS]>;

/// floor(2^(24 − j/256)).
pub(super) static POWERS: Lines<[i32; 256]> = Lines([
    16777216, 16731851, 16686609, 16641489, 16596492, 16551616, 16506861, 16462227, 16417714, 16373322, 16329049,
    16284896, 16240863, 16196949, 16153153, 16109476, 16065917, 16022475, 15979151, 15935945, 15892855, 15849881,
    15807024, 15764283, 15721657, 15679147, 15636751, 15594470, 15552304, 15510251, 15468312, 15426487, 15384774,
    15343175, 15301688, 15260313, 15219050, 15177898, 15136858, 15095929, 15055110, 15014402, 14973804, 14933316,
    14892937, 14852667, 14812506, 14772454, 14732510, 14692675, 14652946, 14613326, 14573812, 14534405, 14495105,
    14455911, 14416823, 14377841, 14338964, 14300192, 14261525, 14222963, 14184505, 14146151, 14107900, 14069753,
    14031709, 13993769, 13955930, 13918194, 13880560, 13843028, 13805597, 13768268, 13731039, 13693911, 13656883,
    13619956, 13583128, 13546400, 13509772, 13473242, 13436811, 13400479, 13364244, 13328108, 13292070, 13256129,
    13220285, 13184538, 13148888, 13113334, 13077876, 13042514, 13007248, 12972077, 12937002, 12902021, 12867134,
    12832342, 12797644, 12763040, 12728530, 12694112, 12659788, 12625557, 12591418, 12557372, 12523417, 12489555,
    12455784, 12422104, 12388515, 12355017, 12321610, 12288293, 12255066, 12221929, 12188882, 12155924, 12123055,
    12090275, 12057583, 12024980, 11992465, 11960038, 11927699, 11895447, 11863283, 11831205, 11799214, 11767310,
    11735492, 11703759, 11672113, 11640552, 11609077, 11577687, 11546381, 11515161, 11484024, 11452972, 11422004,
    11391119, 11360318, 11329601, 11298966, 11268414, 11237945, 11207558, 11177254, 11147031, 11116890, 11086831,
    11056853, 11026955, 10997139, 10967404, 10937748, 10908173, 10878678, 10849263, 10819927, 10790671, 10761493,
    10732395, 10703375, 10674434, 10645571, 10616785, 10588078, 10559449, 10530897, 10502422, 10474024, 10445702,
    10417458, 10389290, 10361198, 10333181, 10305241, 10277376, 10249587, 10221873, 10194233, 10166669, 10139178,
    10111763, 10084421, 10057153, 10029959, 10002839, 9975792, 9948818, 9921917, 9895088, 9868333, 9841649, 9815038,
    9788499, 9762031, 9735635, 9709311, 9683057, 9656875, 9630763, 9604722, 9578751, 9552851, 9527021, 9501260,
    9475569, 9449948, 9424396, 9398913, 9373498, 9348153, 9322876, 9297668, 9272527, 9247455, 9222450, 9197513,
    9172644, 9147841, 9123106, 9098438, 9073836, 9049301, 9024832, 9000430, 8976093, 8951822, 8927617, 8903477,
    8879402, 8855393, 8831449, 8807569, 8783754, 8760003, 8736316, 8712694, 8689135, 8665640, 8642209, 8618841,
    8595536, 8572294, 8549115, 8525999, 8502945, 8479953, 8457024, 8434157, 8411351,
]);

/// What may stand on a square, and how often it does.
#[derive(PartialEq, Debug)]
#[repr(align(64))]
pub(crate) struct Frequencies {
    /// Out of 65536 for the open symbols, none of them zero; zero for the others.
    pub parts: [u32; SYMBOLS],
    /// The first symbol with the highest score.
    pub favourite: usize,
}

/// Scores to frequencies of the open symbols.
#[inline]
pub(super) fn divide(scores: &Scores, open: u32) -> Frequencies {
    let scores = &scores.0;
    let is_open = |s: usize| open >> s & 1 != 0;
    let mut top = i32::MIN;
    for (s, &score) in scores.iter().enumerate() {
        top = top.max(if is_open(s) { score } else { i32::MIN });
    }
    let mut f = [0u32; SYMBOLS];
    let mut sum = 0u64;
    for s in 0..SYMBOLS {
        let down = (top.wrapping_sub(scores[s]) as u32) >> SCORE_SHIFT;
        // Powers are below 2^25: a shift by 31 leaves nothing, as any larger one would.
        let e = POWERS.0[down as usize & 255] as u32 >> (down >> 8).min(31);
        f[s] = if is_open(s) { e } else { 0 };
        sum += u64::from(f[s]);
    }
    let quotient = (u64::from(TOTAL - open.count_ones()) << 32) / sum;
    let mut all = 0;
    for (s, f) in f.iter_mut().enumerate() {
        *f = if is_open(s) { 1 + (u64::from(*f) * quotient >> 32) as u32 } else { 0 };
        all += *f;
    }
    // The first of the best symbols takes what rounding left.
    let favourite = (0..SYMBOLS).find(|&s| is_open(s) && scores[s] == top).unwrap_or(0);
    f[favourite] += TOTAL - all;
    Frequencies { parts: f, favourite }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_add_up() {
        let mut scores = Lines([0; SYMBOLS]);
        for (s, score) in scores.0.iter_mut().enumerate() {
            *score = [0, 40_000, -3_000_000, 12_345, 12_346, -1][s % 6];
        }
        for open in 1..1u32 << 13 {
            let f = divide(&scores, open).parts;
            assert_eq!(f.iter().sum::<u32>(), TOTAL);
            assert!((0..SYMBOLS).all(|s| (f[s] > 0) == (open >> s & 1 != 0)));
        }
    }
}
