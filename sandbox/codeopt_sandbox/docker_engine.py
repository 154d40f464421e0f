"""The client of a Docker engine, which does not wait for an engine that has stopped answering."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.pool import ThreadPool
from typing import Any

import docker
import requests
from docker.utils import kwargs_from_env

from codeopt_sandbox.errors import EngineSilent

ANSWER_S = 60
"""Time limit of one request, seconds: making an image of the links of this machine's system takes longest."""
USUAL_S = 1.0
"""Time after which a request without an answer is checked by a ping, seconds. Most are answered within 0.3 s."""
PING_S = 2.0
"""Time limit of a ping, seconds, which an engine answers within 1 ms, and on a busy machine within 0.1 s."""


class Engine(docker.APIClient):  # type: ignore[misc]  # docker has no types
    """An engine that is pinged while a request takes long.

    A stopped engine still accepts connections, so that each request, also those of the clean-up, would take its whole
    time limit. After the first ping without an answer every request raises EngineSilent.
    """

    silent = False

    def __init__(self) -> None:
        super().__init__(version="auto", timeout=ANSWER_S, **kwargs_from_env(os.environ))

    def send(self, request: Any, **options: Any) -> Any:
        """Send a request as requests.Session does. Raises EngineSilent, and what that raises."""
        pool = ThreadPool(1)
        sent = pool.apply_async(super().send, (request,), options)
        pool.close()
        while not self.silent:
            try:
                return sent.get(USUAL_S)
            except multiprocessing.TimeoutError:
                self._ping(options)
        raise EngineSilent

    def _ping(self, options: dict[str, Any]) -> None:
        ping = self.prepare_request(requests.Request("GET", f"{self.base_url}/_ping"))
        try:
            super().send(ping, **{**options, "timeout": PING_S, "stream": False})
        except requests.RequestException:
            self.silent = True
