"""What was seen: identity, fingerprints, verdicts and the stores that remember (S0.F, S0.S, S4.R)."""
