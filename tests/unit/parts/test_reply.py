"""Memory as messages: what holds for every text, budget and order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.core.choice import Candidate
from remembrancer.core.entries import Entry
from remembrancer.core.memory import memory_block
from remembrancer.core.residency import select
from remembrancer.core.sessions import SessionRecord
from remembrancer.core.tokens import count
from remembrancer.core.toolcall import MOST_A_LOOP, MOST_A_MESSAGE
from remembrancer.parts.reply import Message, message
from remembrancer.parts.turn import Turn
from tests.unit.core.test_escaping import TAG
from tests.unit.core.test_memory import FRESH, stores

BUDGETS = st.integers(0, 600)


def lines(sent: Message, form: str) -> list[str]:
    """One line an item."""
    if not sent.messages:
        return []
    content = sent.messages[-1]["content"]
    return str(content).split("\n")[1:] if form == "system" else str(content[0]["content"]).split("\n")


@settings(max_examples=60)
@given(stores(), FRESH, st.lists(st.tuples(BUDGETS, st.permutations(range(8))), min_size=1, max_size=5))
def test_a_conversation_of_messages_keeps_to_its_budget_and_repeats_nothing(
    candidates: list[Candidate], fresh: list[Entry], turns: list[tuple[int, list[int]]]
) -> None:
    for form in ("system", "tool_call"):
        record, seen, in_loop = SessionRecord("s"), set[tuple[str, str, str]](), 0
        for now, (budget, order) in enumerate(turns):
            asked = [candidates[n] for n in order if n < len(candidates)]
            turn = Turn("s", f"t{now}", "m", format=form, budget_tokens=budget, sent_in_loop=in_loop)
            block = memory_block(asked, fresh, record.residents, budget)
            sent = message(turn, block.units, asked, fresh)
            assert sent == message(turn, block.units, asked, fresh)
            shown = lines(sent, form)
            news = [unit for unit in sent.units if not unit.resident]
            assert count("\n".join(shown)) <= budget
            assert [line.removeprefix("- ").partition(": ")[0] for line in shown] == [unit.id for unit in news]
            assert not TAG.search("\n".join(shown))
            said = [line.removeprefix("- ").partition(": ")[2] for line in shown]
            told = {(unit.slug or unit.entry, unit.section, text) for unit, text in zip(news, said, strict=True)}
            assert seen.isdisjoint(told)
            seen |= told
            if form == "tool_call":
                in_loop += len(news)
                assert len(news) <= MOST_A_MESSAGE
                assert in_loop <= MOST_A_LOOP
            record, _ = select(record, sent.units, now)
