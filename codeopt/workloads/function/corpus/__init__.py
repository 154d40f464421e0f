"""The calls that are known of a function, each with its origin."""
