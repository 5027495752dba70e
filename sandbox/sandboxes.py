"""The Sandbox: starts one zygote, and hands out guests forked from it."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast, get_args

from .backend import BackendOptions, Device, Launched
from .backends import BACKENDS
from .cgroups import RLIMITS, RunGroups, held_by
from .containers import Containers
from .control import Control
from .device import HOST_BYTES, GpuSlots
from .errors import GuestGone, SandboxBroken
from .exchange import Descriptors
from .inside.entering import Confinement
from .inside.notes import FAILED_WHOLE
from .inside.questions import Level, Program
from .limits import Limits
from .process import NearProcess, Process
from .seccomp import guest_program
from .user import sockets_are_scoped

if TYPE_CHECKING:
    from .guest import Guest

_CLOSE_SECONDS = 10.0
# Files that one guest may make: enough for any exercise, and few enough that inodes do not fill memory.
_INODES = 16_384
# RLIMIT_AS counts what is only reserved: each thread's stack, each memory arena.
_ADDRESS_SLACK = 8 * 2**30


class Sandbox:
    """Guests of one zygote. A context manager; the zygote starts with `start` or the first `guest`.

    The zygote dies with the thread that started it, so start it from a thread that lives as long as it is
    needed. One Sandbox is for one thread; others get their own by `attach`. An attached Sandbox can be
    handed to another process by multiprocessing (as an argument of a Process).
    """

    def __init__(
        self,
        backend: str = "bubblewrap",
        limits: Limits = Limits(),  # noqa: B008
        device: str | None = None,  # None: that of `options`
        options: BackendOptions = BackendOptions(),  # noqa: B008
    ) -> None:
        if backend not in BACKENDS:
            names = ", ".join(BACKENDS)
            raise SandboxBroken(
                f"there is no backend {backend!r} in this version of Attest; use one of {names}"
            )
        self.backend = backend
        self.limits = limits
        if device not in {None, *get_args(Device)}:
            raise SandboxBroken(f"there is no device {device!r}; use one of {', '.join(get_args(Device))}")
        self.options = options if device is None else replace(options, device=cast(Device, device))
        self.device = self.options.device
        self._backend = BACKENDS[backend](self.options)
        self.versions: dict[str, str] = {}
        self._containers: Containers | None = None
        if self.options.isolation == "container":
            self._containers = Containers(self._one_container)
        self._attached = False
        self._siblings: int | None = None  # how many more may be attached to this zygote; None: any number
        self._launched: Launched | None = None
        self._control: Control | None = None
        self._ready = False
        self._zygote: Process | None = None  # the one that this Sandbox has started
        self._base = (0, 0, 0)  # the zygote's private memory, address space and resident memory, in bytes
        self._groups: RunGroups | None = None
        self._slots: GpuSlots | None = None
        self._extra = HOST_BYTES if self.device == "cuda" else 0
        self.troubles: list[str] = []  # what guests have left behind, in sentences
        self._guests: set[Guest] = set()
        self._retired: list[Guest] = []  # killed, and not yet seen to be gone
        self._closed = False

    # Life

    def launch(self) -> None:
        """Set the zygote going and do not wait for it; `start` waits. Raises SandboxBroken."""
        if self._closed:
            raise SandboxBroken("this sandbox has been closed; make another")
        if self._containers is not None and not self._ready:
            self._containers.launch()
        if self._control is not None or self._containers is not None:
            return
        if self.device == "cuda":
            self._slots = GpuSlots.of_this_machine(self.options.guests_per_gpu, self.backend != "docker")
        # Before anything is started: where groups are delegated, our own process may have to move.
        self._groups = RunGroups.open()
        self._launched = self._backend.launch(self.limits)
        self._control = Control(self._launched.control, self._launched)
        self._siblings = self._launched.siblings

    def start(self) -> None:
        """Start the zygote and wait until it has imported torch (a second or two). Raises SandboxBroken."""
        self.launch()
        if self._ready:
            return
        if self._containers is not None:
            first = self._containers.launch()
            first.start()
            self.versions, self._ready = first.versions, True
            return
        assert self._control is not None
        self.versions, self._zygote = self._control.started()
        data, address, resident = self._zygote.status_bytes("VmData", "VmSize", "RssAnon")
        self._base = data, address, resident
        if self._groups and not isinstance(self._zygote, NearProcess):
            self._groups.give_up("the guests are not this kernel's")
        self._ready = True

    @property
    def held_by(self) -> str:
        """What holds memory, processes and processor time of guests, in words; known once it has started."""
        if self._containers is not None:
            found, _ = held_by()
        else:
            found = self._groups.held_by if self._groups else RLIMITS
        return f"the container's limits, {found}" if self.backend == "docker" and found == RLIMITS else found

    def attach(self, limits: Limits | None = None) -> Sandbox:
        """Another Sandbox, for another thread or process, or with other limits.

        It has a sibling of this zygote, or, where no more of them may share its confinement, one of its own,
        which starts when it is needed.
        """
        self.start()
        other = Sandbox(self.backend, limits or self.limits, options=self.options)
        other.versions, other._attached = self.versions, True
        if self._containers is not None or self._siblings == 0:
            return other
        if self._siblings is not None:
            self._siblings -= 1
            other._siblings = 0
        assert self._control is not None
        other._base, other._control, other._ready = self._base, self._control.sibling(), True
        other._groups = self._groups.attached() if self._groups else None
        other._slots = self._slots.attached() if self._slots else None
        return other

    def _one_container(self) -> Sandbox:
        return Sandbox(self.backend, self.limits, options=replace(self.options, isolation="guest"))

    def close(self) -> None:
        """Kill everything: guests, zygote and what surrounds it. Idempotent."""
        if self._closed:
            return
        self._closed = True
        for guest in list(self._guests):
            with suppress(SandboxBroken):  # a guest of a zygote that has died is dead too
                guest.close()
        self._bury()
        if self._containers is not None:
            self._containers.close()
        if self._control is not None:
            unused = self._control.discard_spare()
            if self._groups and unused:
                self._groups.give_back(unused)
            self._control.close()
        if self._launched is not None:
            self._launched.close()
        if self._zygote is not None:
            # It is pid 1 of its namespace: when its end is seen, all below it has ended.
            self._zygote.ended(_CLOSE_SECONDS)
            self._zygote.close()
        if self._groups is not None:
            self._groups.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    # Guests

    @property
    def has_guests(self) -> bool:
        """Whether one has not been closed yet."""
        return bool(self._guests)

    def guest(self, files: Mapping[str, bytes], program: Program, submission: object = None) -> Guest:
        """A fresh guest with the files in its working folder and the program run.

        What the student's code does wrong while it is run is in `Guest.report`. When it takes the guest
        down, a fresh one runs its definitions only, then another its constants only; when that dies too,
        the first GuestGone is raised. With a container for each submission, guests that are said to be of
        the same `submission` share one, and a guest of None has its own.

        ValueError for a file name that leads out of the folder.
        """
        _check_names(files)
        self._bury()
        if self._containers is not None:
            self.start()
            return self._containers.guest(files, program, submission)
        levels: tuple[Level, ...] = ("all", "definitions", "constants")
        first: GuestGone | None = None
        for level in levels[levels.index(program.level) :]:
            guest = self._fork()
            try:
                if self._slots is not None:
                    guest.slot = self._slots.take()
                guest.load(files, replace(program, level=level), guest.slot)
            except GuestGone as end:
                first = first or end
                guest.close()
                continue
            except BaseException:
                guest.close()
                raise
            if first is not None:
                parts = "definitions" if level == "definitions" else "definitions and constants"
                note = FAILED_WHOLE.format(parts=parts, end=first.sentence)
                guest.report = replace(guest.report, notes=(note, *guest.report.notes))
            return guest
        assert first is not None
        raise first

    def retire(self, guest: Guest) -> None:
        """Kill a guest; that all of it is gone is seen to before the next one, or when the sandbox closes.

        A namespace takes milliseconds to end, in which the grader has other things to do.
        """
        if self._backend.mode != "namespaces":
            guest.close()  # what it has started does not end with it by itself
            return
        guest.kill()
        self._retired.append(guest)

    def _bury(self) -> None:
        retired, self._retired = self._retired, []
        for guest in retired:
            guest.close()

    def prefork(self) -> None:
        """Have the next guest made while this process does something else; `guest` does so by itself."""
        self.start()
        if self._control is not None and self._control.spare is None:
            self._order(self._control)

    def _fork(self) -> Guest:
        self.start()
        assert self._control is not None
        if self._control.spare is not None:
            # It has waited, and may have been killed by a system short of memory.
            with suppress(SandboxBroken):
                return self._greet(self._control)
        self._order(self._control)
        return self._greet(self._control)

    def _greet(self, control: Control) -> Guest:
        """The spare guest, once it has said that it is confined; another is ordered for the next time."""
        from .guest import Guest  # with torch, which starting a zygote needs no one to have imported

        spare, pid, process = control.take()
        ends = Descriptors(spare.wire, spare.out, spare.err, process, spare.group, self._extra)
        guest = Guest(ends, self.limits, lambda: control.reap(pid))
        guest.on_close = self._forget
        self._guests.add(guest)
        self._see_that_it_is_held(guest, process)
        self._order(control)
        return guest

    def _see_that_it_is_held(self, guest: Guest, process: Process) -> None:
        """A guest that could not enter its group is held by its other limits, and so are those after it."""
        inside = isinstance(process, NearProcess) and guest.group and guest.group.holds(process.pid)
        if self._groups and guest.group and not inside:
            guest.leave_group()
            self._groups.give_up("a guest could not enter its control group")

    def _forget(self, guest: Guest) -> None:
        self._guests.discard(guest)
        if self._groups and guest.group:
            self._groups.give_back(guest.group)
        if self._slots and guest.slot:
            said = self._slots.give_back(guest.slot)
            self.troubles += [said] if said else []

    def _order(self, control: Control) -> None:
        group = self._groups.take(self.limits, self._base[2] + self._extra) if self._groups else None
        control.order(self._confinement(), group)

    def _confinement(self) -> Confinement:
        data, address, _ = self._base
        limits = self.limits
        most = address + limits.memory_bytes + _ADDRESS_SLACK
        return Confinement(
            data_bytes=data + limits.memory_bytes + self._extra,
            # CUDA reserves the addresses of all the memory there is, of the machine and of its GPUs.
            address_bytes=most if self.device == "cpu" else resource.RLIM_INFINITY,
            processes=limits.processes,
            open_files=limits.open_files,
            file_bytes=limits.file_bytes,
            disk_bytes=limits.disk_bytes,
            inodes=_INODES,
            cpu_seconds=int(2 * limits.submission_seconds + limits.load_seconds) + 60,
            seccomp=self._filter(),
        )

    def _filter(self) -> bytes:
        mode = self._backend.mode
        if mode == "none":
            return b""
        shared = mode == "user"  # folders, and the names of unix sockets
        return guest_program(not shared or sockets_are_scoped(), self.device == "cuda", shared)

    # An attached sandbox travels to a worker process

    def __getstate__(self) -> dict[str, Any]:
        if not self._attached or self._launched is not None:
            raise TypeError("only an attached Sandbox can be handed to another process; call attach() first")
        if self._guests or (self._control and self._control.spare):
            raise TypeError("a Sandbox that has guests cannot be handed to another process")
        return self.__dict__.copy()


def _check_names(files: Mapping[str, bytes]) -> None:
    for name in files:
        path = PurePosixPath(name)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
            raise ValueError(
                f"the file name {name!r} leads out of the submission's folder; use a relative name"
            )
