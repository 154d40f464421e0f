"""A batch's database filled by hand, and a local server."""

from tests.support.filled_batch import store as store
from tests.support.wire_server import wire as wire
