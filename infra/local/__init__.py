"""The deployed template on this machine: an emulator of AWS, a small deployer, `up` and `down`."""
