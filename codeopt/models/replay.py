"""Record a model's replies, and reply from the recording: any run with a model can be repeated offline.

A recording is a file of JSON lines, one exchange a line. Each is written as soon as the reply is there: a run that is
killed leaves a readable file. It contains the full messages, so it is also the log of the model's input.

Replay goes by order: the first request gets the first reply. The messages cannot be the key, because they contain
measured times, which differ in each run. The kind of the request is checked: the first lines of the first and the last
message, without numbers. So a critique never gets a draft as its reply, nor one program's request another's, as long as
those first lines differ. One recording is for one run: two at a time mix their order.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from codeopt.core.errors import ModelError, UsageError
from codeopt.core.model import Message, Model, Reply
from codeopt.models import Settings, backend
from codeopt_sandbox.plain_files import read_bytes

SCHEMA = "codeopt.exchange/1"


@backend
def build(name: str, settings: Settings) -> Model:
    """The recording in the file `name`. Raises UsageError without a name, ModelError when it is not a recording."""
    if not name:
        raise UsageError("the replay has no file", hint="write replay:FILE")
    return Replay(Path(name), context_tokens=settings.context_tokens)


class ReplyRecorder:
    """A model that writes down every exchange of another, its errors too."""

    def __init__(self, model: Model, path: Path) -> None:
        """Append to `path`, behind what an earlier run left. Raises UsageError when it cannot be written."""
        self.name = model.name
        self.context_tokens = model.context_tokens
        self._model = model
        self._path = path
        try:
            # Make `path` ready to append to: there, and without the half line of a run that was killed.
            with path.open("a+b") as file:
                file.seek(0)
                whole, newline, half = file.read().rpartition(b"\n")
                if _parse(half) is not None:
                    file.write(b"\n")
                else:
                    file.truncate(len(whole) + len(newline))
        except OSError as error:
            raise UsageError(f"cannot write the recording {path}: {error.strerror}") from error

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The model's answer, which is in the file when this returns. Raises ModelError, which the file then holds,
        too."""
        try:
            reply = self._model.complete(messages, on_text=on_text)
        except ModelError as error:
            self._append(messages, {"error": str(error)})
            raise
        self._append(messages, {"reply": asdict(reply)})
        return reply

    def _append(self, messages: Sequence[Message], outcome: dict[str, object]) -> None:
        record = {
            "schema": SCHEMA,
            "model": self.name,
            "kind": kind(messages),
            "digest": digest(messages),
            "messages": [asdict(m) for m in messages],
            **outcome,
        }
        try:
            with self._path.open("a", encoding="ascii") as file:
                file.write(json.dumps(record) + "\n")
        except OSError as error:
            raise ModelError(f"cannot write the recording {self._path}: {error.strerror}") from error


class Replay:
    """Gives the replies of a recording again, in their order, with the tokens, cost and time of then."""

    def __init__(self, path: Path, *, context_tokens: int = 128_000) -> None:
        """Read the recording. Raises ModelError when it is missing or broken; a half line at its end is left out."""
        self.name = f"replay:{path}"
        self.context_tokens = context_tokens
        self._path = path
        self._exchanges = _read(path)
        self._next = 0

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The next reply. Raises ModelError at the end, for a request of another kind, and where the model failed."""
        if self._next == len(self._exchanges):
            raise ModelError(f"the recording {self._path} is used up: it holds {self._next} exchanges")
        exchange = self._exchanges[self._next]
        self._next += 1
        if exchange.kind != kind(messages):
            raise ModelError(
                f"the recording {self._path} is of another run: exchange {self._next} was asked {exchange.kind!r}, "
                f"now it is {kind(messages)!r}"
            )
        if exchange.reply is None:
            raise ModelError(exchange.error)
        if on_text is not None:
            on_text(exchange.reply.text)
        return exchange.reply


def kind(messages: Sequence[Message]) -> str:
    """Return the subject of a request without measured values.

    It has the first lines of its first and last message, and the last line that names a step, without numbers.
    """
    ends = [messages[0], messages[-1]] if messages else []
    steps = re.findall(r"(?m)^# Step: .*", messages[-1].content)[-1:] if messages else []
    return " / ".join([*(f"{m.role}: {_blanked(m.content)}" for m in ends), *map(_blanked, steps)])


def digest(messages: Sequence[Message]) -> str:
    """A short name for the very same messages, to see in two recordings where they part."""
    text = json.dumps([[m.role, m.content] for m in messages])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


@dataclass(frozen=True)
class _Exchange:
    kind: str
    reply: Reply | None
    error: str


def _blanked(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text.strip().partition("\n")[0])[:100]


def _read(path: Path) -> list[_Exchange]:
    try:
        lines = read_bytes(path).split(b"\n")
    except OSError as error:
        raise ModelError(f"cannot read the recording {path}: {error.strerror}") from error
    exchanges = []
    for number, line in enumerate(lines, start=1):
        exchange = _parse(line)
        if exchange is not None:
            exchanges.append(exchange)
        elif line.strip() and number < len(lines):
            raise ModelError(f"the recording {path} is broken at line {number}", hint="record the run again")
    if not exchanges:
        raise ModelError(f"the recording {path} holds no exchange")
    return exchanges


def _parse(line: bytes) -> _Exchange | None:
    """One line of a recording. None if it is not one."""
    try:
        data = json.loads(line)
        reply = _reply(data["reply"]) if "reply" in data else None
        return _Exchange(str(data["kind"]), reply, str(data["error"]) if reply is None else "")
    except (ValueError, TypeError, KeyError):
        return None


def _reply(data: Any) -> Reply:
    """A reply from its JSON; fields of a later version are left out. Raises TypeError or KeyError."""
    if not isinstance(data, dict):
        raise TypeError("a reply is an object")
    known = {f.name for f in fields(Reply)}
    if not (isinstance(data["text"], str) and isinstance(data["model"], str)):
        raise TypeError("a reply has a text, and says whose it is")
    reply = Reply(**{key: value for key, value in data.items() if key in known})
    if not (isinstance(reply.tokens_in, int) and isinstance(reply.tokens_out, int)):
        raise TypeError("a reply has counts")
    return reply
