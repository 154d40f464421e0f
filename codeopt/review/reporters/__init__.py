"""Where a review goes, one reporter a file: `render(review)` gives text, `post(review, ...)` sends it to a server."""
