"""Runs commands with and without faults, in copies of folders."""
import errno
import os
import shutil
import subprocess
import sys

import steps as scenario

SECONDS = 60
HOWS = {
    "open": [errno.EMFILE, errno.EACCES, errno.EINTR],
    "read": [errno.EIO, errno.EINTR, "short"],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, "short", "kill"],
    "flush": [errno.EIO, "kill"],
    "rename": [errno.EIO, "kill"],
    "truncate": [errno.EIO, "kill"],
    "mkdir": [errno.ENOSPC, "kill"],
    "unlink": [errno.EIO, "kill"],
    "lock": [errno.ENOLCK],
    "mmap": [errno.ENOMEM],
    "memory": [errno.ENOMEM],
}


def how_name(how):
    return how if isinstance(how, str) else errno.errorcode[how]


class Case:
    """One call of one step that fails in one way."""

    def __init__(self, step, line, how):
        self.step, self.how = step, how
        number, self.kind, self.what = line.split(" ", 2)
        self.number = int(number)
        self.is_missed = False

    def __str__(self):
        name = self.what.rsplit("/work", 1)[-1].lstrip("/") or "the folder"
        return f"{self.step.name} {self.number}: {self.kind} {name}, {how_name(self.how)}"


class Ended:
    def __init__(self, status, err):
        self.status, self.err = status, err


class Bench:
    """Runs commands in copies of folders."""

    def __init__(self, ognn, root):
        self.ognn, self.root = ognn, root
        self.library = os.path.join(os.path.dirname(ognn), "../lib/libordered_gnn_faults.so")
        if not os.path.exists(self.library):
            sys.exit(f"there is no {self.library}; build the tests first")
        self.reference = {}
        self.snapshots = {}

    def run(self, folder, command, plan=None):
        env = {name: value for name, value in os.environ.items() if name != "OGNN_DATA"}
        if plan is not None:
            env.update(plan, LD_PRELOAD=self.library, OGNN_FAULT_ROOT=folder)
        try:
            done = subprocess.run([self.ognn] + command, cwd=folder, env=env, text=True,
                                  errors="replace", stdin=subprocess.DEVNULL, timeout=SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            return Ended(done.returncode, done.stderr)
        except subprocess.TimeoutExpired:
            return Ended(None, "")

    def injected(self, folder, step, number, how):
        """Runs a step with a fault; returns how it ended and the log of calls."""
        log = folder + ".log"
        if os.path.exists(log):
            os.remove(log)
        ended = self.run(folder, step.command,
                         {"OGNN_FAULT_LOG": log, "OGNN_FAULT_AT": str(number),
                          "OGNN_FAULT_HOW": str(how), "OGNN_FAULT_KINDS": step.kinds})
        with open(log, encoding="utf-8", errors="surrogateescape") as file:
            return ended, file.read().splitlines()

    def folder(self, name, content=None):
        """A folder `work` of its own for a case, with a copy of what is in another."""
        work = os.path.join(self.root, name, "work")
        if content:
            shutil.copytree(content, work)
        else:
            os.makedirs(work)
        return work

    def rehearse(self, step, work):
        """Runs a step undisturbed in `work`; returns its calls."""
        self.snapshots[step.name] = self.folder(f"before-{step.name}", work)
        if step.killed:
            before = self.snapshots[step.killed]
            calls = self.snapshots[step.killed + " calls"]
            self.snapshots[step.name] = self.folder(f"killed-{step.killed}", before)
            ended, _ = self.injected(self.snapshots[step.name], self.step_of[step.killed],
                                     calls // 2, "kill")
            if ended.status != -9:
                sys.exit(f"{step.killed} could not be killed: {ended.status}\n{ended.err}")
            work = self.folder(f"rehearsed-{step.name}", self.snapshots[step.name])
        ended, calls = self.injected(work, step, 0, 0)
        if ended.status != 0:
            sys.exit(f"{step.name} fails undisturbed: {ended.status}\n{ended.err}")
        self.snapshots[step.name + " calls"] = len(calls)
        self.reference[step.name] = step.results(work)
        return calls

    def cases(self, steps):
        self.step_of = {step.name: step for step in steps}
        work = self.folder("undisturbed")
        scenario.prepare(work)
        found = []
        for step in steps:
            calls = self.rehearse(step, work)
            if step.killed and self.reference[step.name] != self.reference[step.killed]:
                sys.exit(f"{step.name} gives other bits than {step.killed}")
            print(f"{step.name:16} {len(calls):4} calls", flush=True)
            for line in calls:
                found += [Case(step, line, how) for how in HOWS[line.split(" ", 2)[1]]]
        return found
