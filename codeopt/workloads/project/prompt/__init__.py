"""A language model's view of a project: source, figures, and drafts."""
