//! The one place with `unsafe`: facts the compiler cannot see, each guarded by a private constructor.

/// A square's number as an index, with the bound known to the optimiser.
#[inline(always)]
pub(crate) const fn below_64(square: u8) -> usize {
    debug_assert!(square < 64);
    // SAFETY: `Square` can only be made from numbers below 64.
    unsafe { core::hint::assert_unchecked(square < 64) };
    square as usize
}

/// `table[index]` for the slider tables, whose indices come from masks that belong to the table.
#[inline(always)]
pub(crate) fn slider<T>(table: &'static [T], index: usize) -> &'static T {
    debug_assert!(index < table.len());
    // SAFETY: the build script lays the table out so that offset + (PEXT or magic index) is within it for every
    // square and occupancy, and checks each of them; see `attacks::tests::sliders_match_ray_walks`.
    unsafe { table.get_unchecked(index) }
}

/// Parallel bit extract; the build script only sets `rukh_pext` for targets that have the instruction.
#[cfg(rukh_pext)]
#[inline(always)]
pub(crate) fn pext(value: u64, mask: u64) -> u64 {
    // SAFETY: `rukh_pext` implies that the whole build is for CPUs with BMI2.
    unsafe { core::arch::x86_64::_pext_u64(value, mask) }
}
