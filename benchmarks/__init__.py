"""Speed and error rates, as ratios within one run. Nothing here gates a test: machines are noisy."""
