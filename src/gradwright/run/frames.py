"""Messages between this process and its compile worker: one JSON header and some raw blobs.

Layout: 8 bytes little-endian header length, the header, then the blobs back to back. The header
carries the blobs' sizes under "sizes". Nothing in a message is ever executed (no pickle).
"""

import json
from collections.abc import Mapping, Sequence
from typing import IO, Any

Header = dict[str, Any]


def write(
    stream: IO[bytes], header: Mapping[str, Any], blobs: Sequence[bytes | memoryview] = ()
) -> None:
    """Write one message and flush."""
    views = [memoryview(blob).cast("B") for blob in blobs]
    text = json.dumps({**header, "sizes": [view.nbytes for view in views]}).encode()
    stream.write(len(text).to_bytes(8, "little"))
    stream.write(text)
    for view in views:
        stream.write(view)
    stream.flush()


def read(stream: IO[bytes]) -> tuple[Header, list[bytes]]:
    """Read one message; EOFError where the other side closed the stream or died."""
    header: Header = json.loads(_exactly(stream, int.from_bytes(_exactly(stream, 8), "little")))
    return header, [_exactly(stream, size) for size in header.pop("sizes")]


def _exactly(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) != size:
        raise EOFError
    return content
