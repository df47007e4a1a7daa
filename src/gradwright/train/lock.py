"""One process at a time in a run folder."""

import fcntl
import os
from pathlib import Path

from gradwright.errors import CheckpointError
from gradwright.train.storage import reported


class FolderLock:
    """An advisory lock on a folder: the file `lock`, held by the process whose id it names.

    The operating system frees the lock when that process ends, however it ends; a file left behind
    by a killed process is therefore recognised as stale and taken over.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._descriptor = self._acquire()

    def _acquire(self) -> int:
        with reported(self._path, "a run folder that can be written to"):
            while True:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                self._lock(descriptor)
                if self._is_current(descriptor):
                    break
                os.close(descriptor)  # its last owner removed the file between open and lock
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
            return descriptor

    def _lock(self, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise CheckpointError(
                where=str(self._path.parent),
                expected="a run folder that no other process uses",
                found=f"it locked by process {owner or '(id not yet written)'}",
                remedy="Wait until that process ends, or use another folder.",
            ) from None

    def _is_current(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the file and free the lock; nothing happens the second time."""
        if self._descriptor < 0:
            return
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1
