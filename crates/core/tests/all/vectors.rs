//! Positions and what others found in them, for this generator and for the mailbox.

/// The six positions everybody counts first.
pub const SIX: [(&str, &[u64]); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603, 193_690_690, 8_031_647_685],
    ),
    (
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661, 3_009_794_393],
    ),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9_467, 422_333, 15_833_292, 706_045_033],
    ),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487, 89_941_194]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594, 164_075_551, 6_923_051_137],
    ),
];

/// Fairy-Stockfish's counts.
pub const MAKRUK: [(&str, &[u64]); 17] = [
    // Start position.
    (
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        &[23, 529, 12_012, 273_026, 6_223_994, 142_078_049, 3_299_342_874],
    ),
    // Middlegame (FSF self-play).
    ("2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19", &[48, 1_760, 75_424, 2_608_699, 104_539_052]),
    // After a capture-promotion.
    ("rnsmksnr/8/1pM~1pppp/p7/8/PPPP1PPP/8/RNSKMSNR b - - 0 3", &[23, 594, 13_581, 348_073, 8_188_877]),
    // 4 promotions available.
    ("3k4/4n1s1/M~s1m1ppr/1p2p3/pP1p2P1/2P1PP1P/4R2K/1N2S1NR b - - 0 26", &[29, 588, 16_941, 364_896, 10_505_540]),
    // Bia-ngai on both sides.
    ("3m4/2k5/R2s4/3M~1M~p1/6Pp/2m~1m~PSP/K7/1N2M1R1 b - - 0 61", &[18, 568, 9_598, 302_137, 5_075_620, 159_428_145]),
    // High mobility.
    ("1r6/m1s1s3/5k2/3p4/8/1m~1m~1N2/3n1K2/1m~1SM1r1 b - - 7 61", &[50, 608, 28_169, 342_906, 14_794_199]),
    // In check.
    ("M~1sm2n1/1R2k2r/4sp1p/2n3p1/2P1m~1PP/m~2m~P3/3K1M2/2SN1SR1 b - - 2 26", &[10, 244, 7_512, 181_837, 5_841_101]),
    // No Bia, count running.
    ("1m6/1k5M~/2R1nn2/1M~4s1/4S1m~1/5m~2/S1K2M2/1N5R b - 128 11 61", &[27, 1_151, 29_069, 1_206_669, 30_047_805]),
    // Sparse, board's honour.
    ("8/6ks/3M~2r1/2K1M3/8/3R4/8/8 w - 128 18 50", &[23, 357, 8_001, 132_195, 2_975_293, 50_276_450]),
    // Sparse, one Bia.
    ("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", &[12, 63, 801, 3_720, 48_557, 252_479, 3_306_757, 17_116_096]),
    // Last Bia can be taken.
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", &[8, 159, 770, 16_465, 83_977, 1_877_483, 9_561_071]),
    // KSS v KM.
    ("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1", &[18, 136, 2_077, 15_644, 222_212, 1_623_538, 22_421_971]),
    // KSM v K.
    ("7M/8/1K6/8/8/8/6Sk/8 w - 88 8 60", &[14, 39, 451, 2_014, 21_727, 113_625, 1_230_121, 7_073_876]),
    // Pinned white Thon.
    ("4k3/4r3/8/8/8/4S3/8/4K3 w - - 0 1", &[6, 89, 819, 14_171, 136_323, 2_409_910]),
    // Pinned black Thon (mirror).
    ("4k3/8/4s3/8/8/8/4R3/4K3 b - - 0 1", &[6, 89, 819, 14_171, 136_323, 2_409_910]),
    // Bia race.
    ("4k3/8/p1p1p1p1/8/8/1P1P1P1P/8/4K3 w - - 0 1", &[9, 81, 781, 7_534, 75_996, 772_507, 8_045_719]),
    // Bia contact, all promote.
    ("4k3/8/8/pPpPpPpP/PpPpPpPp/8/8/4K3 w - - 0 1", &[9, 79, 799, 7_839, 83_379, 872_371]),
];

/// Makruk's counts after some moves, computed with Fairy-Stockfish.
pub const COUNTS: [(&str, &str, &str); 16] = [
    // The last Bia promotes, and the other side is bare.
    ("8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1", "g5g6m", "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"),
    // The last piece falls during board's honour.
    ("8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1", "e5f6", "8/2K3k1/5S2/6S1/8/8/8/8 b - 44 8 1"),
    // A bare Khun takes the last Bia.
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5", "8/8/8/5k2/8/2RMK3/8/8 w - 32 7 51"),
    ("8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50", "e6f5 c3c4 f5e5", "8/8/8/4k3/2R5/3MK3/8/8 w - 32 9 52"),
    // Set up bare: the count begins with the attacker's move.
    ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7", "8/4k3/8/8/8/8/R7/4K3 w - - 1 2"),
    ("4k3/8/8/8/8/8/R7/4K3 b - - 0 1", "e8e7 a2a3", "8/4k3/8/8/8/R7/8/4K3 b - 32 6 2"),
    // The limit is frozen.
    ("8/8/8/8/8/3Rk3/8/K6R b - 16 8 1", "e3d3", "8/8/8/8/8/3k4/8/K6R w - 16 9 2"),
    // No count while a Bia stands.
    ("4k3/8/8/8/P7/8/R7/4K3 w - - 0 1", "a2b2", "4k3/8/8/8/P7/8/1R6/4K3 b - - 1 1"),
    // Board's honour.
    ("4k3/2r5/8/3p4/8/2N5/8/R3K3 w - - 0 40", "c3d5", "4k3/2r5/8/3N4/8/8/8/R3K3 b - 128 0 40"),
    ("3k4/2m5/8/4MP2/3KS3/8/8/8 w - - 0 1", "f5f6m", "3k4/2m5/5M~2/4M3/3KS3/8/8/8 b - 128 0 1"),
    ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 0 33", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 1 33"),
    ("3k4/2m5/5M~2/4M3/3KS3/8/8/8 w - 128 36 1", "d4d5", "3k4/2m5/5M~2/3KM3/4S3/8/8/8 b - 128 37 1"),
    // The smallest limit that applies.
    ("4k3/8/8/1P6/8/8/8/KNSN4 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNSN4 b - 64 12 1"),
    ("4k3/8/8/1P6/8/8/8/KNS5 w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KNS5 b - 88 10 1"),
    ("4k3/8/8/1P6/8/8/8/KRRNNSSM w - - 0 1", "b5b6m", "4k3/8/1M~6/8/8/8/8/KRRNNSSM b - 16 20 1"),
    (
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        "e3e4 d6d5 e4d5 a6a5 d5c6m",
        "rnsmksnr/8/1pM~1pppp/p7/8/PPPP1PPP/8/RNSKMSNR b - - 0 3",
    ),
];
