import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.consolidation import TASKS
from tests.infrastructure.conftest import Template, one

INFRA = Path(__file__).parents[2] / "infra"
VALIDATOR = INFRA / "node_modules" / ".bin" / "asl-validator"


@pytest.fixture(scope="module")
def definition(acme: Template) -> dict[str, Any]:
    """The deployed definition with ARNs as they will look."""
    machine = one(acme, "AWS::StepFunctions::StateMachine")["Properties"]
    text = str(machine["DefinitionString"])
    arn = "arn:aws:lambda:eu-central-1:123456789012:function:"
    for name in machine["DefinitionSubstitutions"]:
        text = text.replace(f"${{{name}}}", "aws" if name == "partition" else arn + name)
    assert not re.search(r"\$\{", text)
    found: dict[str, Any] = json.loads(text)
    return found


def _states(machine: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, state in machine["States"].items():
        yield name, state
        if "ItemProcessor" in state:
            yield from _states(state["ItemProcessor"])


def test_the_definition_is_valid(definition: dict[str, Any], tmp_path: Path) -> None:
    if not VALIDATOR.exists():
        subprocess.run(["npm", "ci", "--no-progress"], cwd=INFRA, check=True, capture_output=True)
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(definition))
    done = subprocess.run([VALIDATOR, "--json-path", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_task_is_called_in_order(definition: dict[str, Any]) -> None:
    called = [
        s["Parameters"]["FunctionName"].rpartition(":")[2]
        for name, s in _states(definition)
        if s["Type"] == "Task" and name != "upkeep"
    ]
    assert tuple(called) == TASKS


def test_upkeep_is_maintenance_without_a_run(definition: dict[str, Any]) -> None:
    choice = definition["States"]["what is it for"]
    assert [(c["StringEquals"], c["Next"]) for c in choice["Choices"]] == [("upkeep", "upkeep")]
    assert choice["Default"] == "gate"
    upkeep = definition["States"]["upkeep"]
    assert upkeep["Parameters"]["FunctionName"].endswith(":maintain")
    assert upkeep["Next"] == "done"


def test_a_failure_anywhere_leads_to_release(definition: dict[str, Any]) -> None:
    for name, state in definition["States"].items():
        if state["Type"] in ("Task", "Map") and name not in ("release", "upkeep"):
            (caught,) = state["Catch"]
            assert (caught["ErrorEquals"], caught["Next"]) == (["States.ALL"], "release"), name
    told = definition["States"]["release"]["Parameters"]["Payload"]
    assert told["error.$"] == "$.failure.Error"


def test_a_failed_run_is_a_failed_execution(definition: dict[str, Any]) -> None:
    states = definition["States"]
    assert states["release"]["Next"] == "did it fail"
    assert states[states["did it fail"]["Default"]]["Type"] == "Fail"


def test_a_space_with_nothing_to_do_ends_without_a_release(definition: dict[str, Any]) -> None:
    choice = definition["States"]["may it run"]
    assert choice["Choices"] == [{"Variable": "$.gate.decision", "StringEquals": "run", "Next": "plan"}]
    assert definition["States"][choice["Default"]]["Type"] == "Succeed"


def test_nothing_runs_for_ever(acme: Template, definition: dict[str, Any]) -> None:
    assert definition["TimeoutSeconds"] == 3600
    assert {s["TimeoutSeconds"] for _, s in _states(definition) if s["Type"] == "Task"} == {840}
    for function in acme["Resources"].values():
        if function["Type"] == "AWS::Lambda::Function":
            variables = function["Properties"]["Environment"]["Variables"]
            if variables["POWERTOOLS_SERVICE_NAME"] in TASKS:
                assert function["Properties"]["Timeout"] == 840


def test_errors_that_pass_are_tried_again(definition: dict[str, Any]) -> None:
    passing = {"Lambda.ServiceException", "Lambda.TooManyRequestsException", "Throttled", "Unavailable"}
    for name, state in _states(definition):
        if state["Type"] == "Task" and name != "release":
            assert passing <= set(state["Retry"][0]["ErrorEquals"]), name
    (again,) = dict(_states(definition))["file"]["Retry"]
    assert "PreconditionFailed" in again["ErrorEquals"]


def test_executions_leave_no_data_in_logs(acme: Template) -> None:
    machine = one(acme, "AWS::StepFunctions::StateMachine")["Properties"]
    assert machine["LoggingConfiguration"]["IncludeExecutionData"] is False
    assert machine["LoggingConfiguration"]["Level"] == "ERROR"
    assert machine["TracingConfiguration"] == {"Enabled": True}
