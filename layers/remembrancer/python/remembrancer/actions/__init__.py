"""One module a verb: plain values and ports in, plain values out."""
