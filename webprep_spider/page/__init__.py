"""What a page says: decoding, tag tree, weights, cleaning (S4.T to S4.C)."""
