"""The part of a project that is shown in the sandbox."""
