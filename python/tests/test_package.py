"""What was installed."""
import os
import pathlib
import subprocess
import sys

import pytest

import ordered_gnn as og

PACKAGE = pathlib.Path(og.__file__).parent


def test_the_installed_package_is_tested():
    assert "site-packages" in PACKAGE.parts or "build" in PACKAGE.parts
    assert not (PACKAGE.parent / "CMakeLists.txt").exists()


def test_types_are_there_and_right(tmp_path):
    assert (PACKAGE / "py.typed").exists()
    pytest.importorskip("mypy", reason="mypy is not here")
    user = tmp_path / "user.py"
    user.write_text("import ordered_gnn as og\n"
                    "model = og.OrderedGNNClassifier('gcn', hidden=8)\n"
                    "reveal_type(model.predict_proba())\n"
                    "og.default_options(3)\n")
    # With the settings of whoever checked the package before, what was read of it then
    # is not read again.
    settings = os.environ.get("OGNN_MYPY_CONFIG")
    how = ["--config-file", settings] if settings else ["--ignore-missing-imports"]
    said = subprocess.run([sys.executable, "-m", "mypy", *how, str(user)], text=True,
                          stdout=subprocess.PIPE, cwd=tmp_path).stdout
    assert "ndarray" in said
    assert 'incompatible type "int"; expected "str"' in said
    assert "Found 1 error" in said


def test_every_name_is_there_with_a_docstring():
    for name in og.__all__:
        assert getattr(og, name).__doc__ is not None, name


def test_libraries_are_found_beside_the_module():
    said = subprocess.run(["readelf", "-d", *map(str, PACKAGE.glob("_core*.so"))],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    assert "[$ORIGIN]" in said and "libordered_gnn.so.0" in said
    assert (PACKAGE / "libordered_gnn.so.0").exists()
