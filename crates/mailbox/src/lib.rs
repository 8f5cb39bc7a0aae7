//! A slow, simple, independent move generator: the second opinion for rukh-core's tests.
