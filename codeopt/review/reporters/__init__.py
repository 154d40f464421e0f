"""Reporters of a review, one a file: `render(review)` gives text, `post(review, ...)` sends it to a server."""
