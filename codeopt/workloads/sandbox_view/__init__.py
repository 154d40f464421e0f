"""What of a project is shown in the sandbox."""
