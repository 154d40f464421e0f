"""Which files, by their names, may hold what nobody else should read: they are never shown in a sandbox unasked."""

from __future__ import annotations

import fnmatch
from pathlib import Path

SECRET = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "id_*", "*.ppk",
    ".netrc", "_netrc", ".pypirc", ".npmrc", ".htpasswd", ".git-credentials", ".pgpass", ".my.cnf", "*credential*",
    "*secret*.json", "*secret*.y*ml", "*secret*.toml", "*service-account*.json", "*.tfstate", "*.tfstate.*", "*.tfvars",
)  # fmt: skip
SECRET_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".ssh", ".aws", ".gnupg", ".docker", ".kube", ".codeopt", "__pycache__"}
)


def is_secret(path: Path) -> bool:
    """Whether a file, by its name, may hold what nobody else should read."""
    if SECRET_FOLDERS & set(path.parts):
        return True
    name = path.name.lower()
    return name.endswith((".py", ".pyi")) is False and any(fnmatch.fnmatchcase(name, pattern) for pattern in SECRET)
