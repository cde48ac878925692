"""One module a technology behind the ports."""
