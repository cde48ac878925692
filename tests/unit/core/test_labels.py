import pytest

from remembrancer.core.buffer import read
from remembrancer.core.labels import label_id, pending_node_id, pending_nodes
from remembrancer.errors import Invalid
from tests.golden import cases


@pytest.mark.parametrize("case", cases("label_ids"), ids=lambda c: c["name"])
def test_golden_labels(case: dict) -> None:  # type: ignore[type-arg]
    if case["expect"] == {"error": True}:
        with pytest.raises(Invalid):
            label_id(case["input"]["label"])
    else:
        assert label_id(case["input"]["label"]) == case["expect"]


@pytest.mark.parametrize("case", cases("pending_node_ids"), ids=lambda c: c["name"])
def test_golden_pending(case: dict) -> None:  # type: ignore[type-arg]
    if case["input"]["op"] == "node_id":
        assert pending_node_id(case["input"]["text"]) == case["expect"]


def test_equal_texts_get_a_number() -> None:
    texts = [block.text for block in read("- [Aug 5, 1:00 AM] dup\n- [Aug 5, 1:01 AM] dup\n")]
    assert [node[0] for node in pending_nodes(texts)] == ["buffer:3775qm", "buffer:3775qm-2"]
