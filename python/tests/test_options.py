"""One truth: names, defaults and help are those of the C++ table."""
import inspect
import json
import subprocess

import ordered_gnn as og
import pytest
from ordered_gnn.options import effective_options, python_name


def test_defaults_of_the_classifier_are_those_of_every_model():
    for model in og.models():
        classifier = og.OrderedGNNClassifier(model["name"])
        found = effective_options(classifier._given_options())
        assert found == og.default_options(model["name"])


def test_every_option_of_a_run_is_a_parameter():
    parameters = inspect.signature(og.OrderedGNNClassifier).parameters
    files = {"data", "data-root", "format", "split-file", "splits", "workers"}
    for row in og.options():
        if row["name"] in files:
            assert row["python_name"] not in parameters
        else:
            assert row["python_name"] in parameters
            if row["name"] not in ("model", "unlabelled", "missing-columns"):
                assert row["help"] in og.OrderedGNNClassifier.__doc__


def test_options_are_those_of_the_command(ognn):
    said = subprocess.run([ognn, "train", "--print-config"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    ours = {row["name"]: row["default"] for row in og.options()}
    assert json.loads(said) == ours


def test_network_defaults_are_those_of_the_table():
    defaults = og.default_options()
    for name, parameter in inspect.signature(og.OrderedGNN).parameters.items():
        if name in ("in_channels", "out_channels", "num_nodes", "self_loops",
                    "direction"):
            continue
        assert parameter.default == defaults[python_name(name)], name


def test_errors_are_value_errors_with_our_messages():
    with pytest.raises(og.Error, match="unknown model 'gnc'"):
        og.default_options("gnc")
    assert issubclass(og.Error, ValueError)
    with pytest.raises(og.UsageError, match="did you mean 'hidden'"):
        og.OrderedGNNClassifier(hiden=3)
    with pytest.raises(og.Error, match="hidden"):
        og.OrderedGNNClassifier(hidden=30, chunk=4).fit([[0.], [1.]], [0, 1])
