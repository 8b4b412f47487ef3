"""Other libraries are given the same blocks and budgets, and used as they say."""

import subprocess
import sys

import pytest

from dsgc.bench.real import Trace
from dsgc.bench.real._cases import words
from dsgc.bench.real._peers import PEERS, Peer
from dsgc.bench.real._rules import Keep
from tests.bench.real.tiny import SHIPPING, assistant, case_of, result, user, with_message

BY_NAME = {peer.name: peer for peer in PEERS}
HYPERTOK = ["hypertok, rag", "hypertok, aggressive"]


def loaded(name: str) -> Keep:
    peer = BY_NAME[name]
    try:
        return peer.load()
    except ImportError:
        pytest.skip(f"{peer.distribution} is not installed")


@pytest.mark.parametrize("share", [0, 25, 40, 60])
@pytest.mark.parametrize("name", list(BY_NAME))
def test_what_is_kept_fits_the_budget_in_words(name: str, share: int) -> None:
    case = case_of(SHIPPING)
    kept = loaded(name)(case, case.budget(share))
    assert sum(map(words, kept)) <= case.budget(share)


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in HYPERTOK])
def test_all_whole_units_are_kept_where_all_fit(name: str) -> None:
    case = case_of(SHIPPING)
    said = "\n".join(unit.text for unit in case.blocks)
    assert sorted("\n".join(loaded(name)(case, case.words)).split()) == sorted(said.split())


@pytest.mark.parametrize("name", HYPERTOK)
def test_hypertok_keeps_the_parts_that_the_question_is_about(name: str) -> None:
    trace = with_message(
        SHIPPING, 2, result("It is fine today and tomorrow. The zip of Mia is ab-77.")
    )
    trace = with_message(trace, 6, user("What is the zip of Mia?"))
    (text,) = loaded(name)(case_of(trace), 20)
    assert "ab-77" in text
    assert "yes" not in text.split()


def test_trim_messages_as_documented_starts_on_a_user_turn() -> None:
    keep = loaded("trim_messages, from a user turn")
    case = case_of(SHIPPING)
    assert keep(case, 2) == []
    assert keep(case, 6) == ["and the second one", "yes"]


def test_trim_messages_as_documented_keeps_nothing_where_the_user_spoke_long_ago() -> None:
    messages = [SHIPPING.messages[6], *SHIPPING.messages[1:4], *[assistant("yes")] * 4]
    case = case_of(Trace("once", [*messages, SHIPPING.messages[7]]))
    assert loaded("trim_messages, from a user turn")(case, 8) == []
    beside = loaded("trim_messages, beside the question")
    assert beside(case, 8) == ["fine", *["yes"] * 4]


def test_trim_messages_never_begins_with_a_result_without_its_call() -> None:
    keep = loaded("trim_messages, beside the question")
    assert keep(case_of(SHIPPING), 9) == ["fine", "and the second one", "yes"]


def test_astromesh_by_history_is_newest_first() -> None:
    kept = loaded("astromesh, history")(case_of(SHIPPING), 8)
    assert kept == ["old order", "fine", "and the second one", "yes"]


@pytest.mark.parametrize("name", ["astromesh, BM25", "harpe, given similarity"])
def test_peers_that_rank_by_relevance_keep_what_reads_like_the_question(name: str) -> None:
    trace = with_message(SHIPPING, 0, user("send something to them now"))
    assert loaded(name)(case_of(trace), 5) == ["send something to them now"]


@pytest.mark.parametrize("name", list(BY_NAME))
def test_a_peer_gives_the_same_each_time(name: str) -> None:
    case = case_of(SHIPPING)
    assert loaded(name)(case, 8) == loaded(name)(case, 8)


def test_a_library_that_is_missing_raises_import_error() -> None:
    code = (
        "import sys; sys.modules['hypertok'] = None\n"
        "from dsgc.bench.real._peers import PEERS\n"
        "try: [peer.load() for peer in PEERS if peer.distribution == 'hypertok']\n"
        "except ImportError: print('missing')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "missing\n"


def test_a_peer_names_its_distribution_and_version() -> None:
    peer = Peer("some", "pytest", lambda: lambda case, budget: [])  # noqa: ARG005
    assert peer.version() == f"pytest {pytest.__version__}"
