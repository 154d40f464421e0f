"""What can go wrong in the sandbox itself; never a verdict on a program.

SandboxError            our side failed: an engine, a guest or a disk
├── BackendUnavailable  this backend cannot run on this machine
└── GuestLost           a guest died or stopped answering
"""


class SandboxError(Exception):
    """The sandbox failed, with the evidence in the message. Says nothing about the program."""


class BackendUnavailable(SandboxError):
    """A backend cannot be used here; the message says why and what would make it work."""


class GuestLost(SandboxError):
    """A guest vanished or did not answer in time; the container is gone when this is raised."""
