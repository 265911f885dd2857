"""What is said of a command of which a call has failed."""
import os
import re
import shutil

from bench import SECONDS
from ognn_files import acknowledged, leftovers, lost, torn_files


def names_file(case, err):
    """Whether a message says which file it was about."""
    if case.kind == "memory":
        return "memory" in err
    name = os.path.basename(case.what)
    target = re.fullmatch(r"\.(.+)\.\d+-\d+\.tmp", name)
    names = [target[1] if target else name]
    if os.path.isdir(case.what):  # of a folder that is flushed: the file put there
        names += os.listdir(case.what)
    return any(word in err for word in names)


def judge_ending(case, ended, calls):
    if ended.status is None:
        return [f"hung for {SECONDS} s"]
    chosen = [line for line in calls if line.startswith("!")]
    if not chosen:  # how many lines a log takes at once is a matter of time
        case.is_missed = True
        return [] if ended.status == 0 else [f"ended with {ended.status} before the call"]
    case.what = chosen[0].split(" ", 2)[2]
    if case.how == "kill":
        return [] if ended.status == -9 else [f"was to be killed, ended with {ended.status}"]
    if ended.status not in (0, 1):
        return [f"ended with {ended.status}: {ended.err.strip()[-300:]}"]
    if ended.status == 1 and not names_file(case, ended.err):
        return [f"the message does not name the file: {ended.err.strip()[-300:]}"]
    return []


def judge_files(case, work, before):
    """before: temporary files of an earlier kill."""
    findings = [f"torn: {name}" for name in torn_files(work)]
    if case.how != "kill" and case.kind != "unlink":
        findings += [f"left behind: {name}" for name in leftovers(work) if name not in before]
    return findings


def judge_results(bench, case, work, kept, ended):
    """Ends the command where it failed, and compares."""
    findings = []
    if ended.status != 0:
        again = bench.run(work, case.step.again(work))
        if again.status != 0:
            return [f"started again it ends with {again.status}: {again.err.strip()[-300:]}"]
    findings += [f"lost: {name}" for name in lost(kept, work)]
    try:
        results = case.step.results(work)
    except (OSError, ValueError) as error:
        return findings + [f"no result: {error}"]
    for name, value in bench.reference[case.step.name].items():
        if results.get(name) != value:
            findings.append(f"other bits: {name}")
    return findings + [f"torn in the end: {name}" for name in torn_files(work)]


def try_case(bench, index, case):
    work = bench.folder(f"case-{index}", bench.snapshots[case.step.name])
    earlier, temporary = acknowledged(work), leftovers(work)
    ended, calls = bench.injected(work, case.step, case.number, case.how)
    findings = judge_ending(case, ended, calls) + judge_files(case, work, temporary)
    findings += [f"lost at once: {name}" for name in lost(earlier, work)]
    if ended.status is not None:
        findings += judge_results(bench, case, work, acknowledged(work), ended)
    shutil.rmtree(os.path.dirname(work))
    return findings
