"""Builds the wheel with CMake, against the PyTorch that this Python imports (PEP 517).

Of Python's own library alone, so that pip has nothing to download. Settings:
  ORDERED_GNN_BUILD_DIR   a build folder to use and keep; else one that is gone afterwards
  CMAKE_ARGS              further arguments of cmake
  CMAKE_BUILD_PARALLEL_LEVEL
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "ordered_gnn"


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(ordered_gnn VERSION ([0-9.]+)", text)[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
            "Summary: Node classification with the Ordered GNN model\n"
            "License: see LICENSE\nRequires-Python: >=3.8\n"
            "Requires-Dist: numpy\nRequires-Dist: torch >=1.13.0a0\n\n"
            + (ROOT / "docs" / "python.md").read_text(encoding="utf-8"))


def tag():
    abi = "cp%d%d" % sys.version_info[:2]
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{abi}-{abi}-{machine}"


def outside():
    """The environment without pip's isolation: the user's PyTorch is meant."""
    return {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME")}


def torch_prefix():
    code = "import torch; print(torch.utils.cmake_prefix_path)"
    found = subprocess.run([sys.executable, "-c", code], env=outside(), text=True,
                           stdout=subprocess.PIPE, check=False)
    if found.returncode != 0:
        raise SystemExit("ordered_gnn is built against the PyTorch that Python "
                         f"imports, and {sys.executable} finds none; install one "
                         "first (Debian: python3-torch)")
    return found.stdout.strip().splitlines()[-1]


def build(folder):
    """Builds the package and returns its folder."""
    # Not that of a virtual environment: the folder may outlive it.
    python = os.path.realpath(sys.executable)
    arguments = ["-DORDERED_GNN_PYTHON=ON", f"-DPython3_EXECUTABLE={python}",
                 *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    if not (folder / "CMakeCache.txt").exists():
        prefix = [torch_prefix(), *filter(None, [os.environ.get("CMAKE_PREFIX_PATH")])]
        arguments = ["-GNinja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DORDERED_GNN_BUILD_TESTS=OFF", "-DORDERED_GNN_BUILD_CLI=OFF",
                     f"-DCMAKE_PREFIX_PATH={';'.join(prefix)}", *arguments]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *arguments],
                   env=outside(), check=True)
    subprocess.run(["cmake", "--build", str(folder), "--parallel",
                    "--target", "ordered_gnn_package"], env=outside(), check=True)
    return folder / "python" / NAME


def line_of(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"{name},sha256={digest.rstrip(b'=').decode()},{len(content)}\n"


def write_wheel(package, file):
    info = f"{NAME}-{version()}.dist-info"
    content = {f"{NAME}/{path.name}": path.read_bytes()
               for path in sorted(package.iterdir()) if path.is_file()}
    content[f"{info}/METADATA"] = metadata().encode()
    content[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    content[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: ordered_gnn_build\n"
        f"Root-Is-Purelib: false\nTag: {tag()}\n").encode()
    record = f"{info}/RECORD"
    lines = "".join(line_of(name, data) for name, data in content.items())
    content[record] = (lines + f"{record},,\n").encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    file = f"{NAME}-{version()}-{tag()}.whl"
    target = pathlib.Path(wheel_directory) / file
    kept = os.environ.get("ORDERED_GNN_BUILD_DIR")
    if kept:
        write_wheel(build(pathlib.Path(kept).resolve()), target)
    else:
        with tempfile.TemporaryDirectory(prefix="ordered_gnn-build-") as folder:
            write_wheel(build(pathlib.Path(folder)), target)
    return file


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz",
                      format=tarfile.PAX_FORMAT) as out:
        for name in files:
            out.add(ROOT / name, f"{base}/{name}")
    return f"{base}.tar.gz"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []
