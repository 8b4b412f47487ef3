"""What pieces and messages cost by a token counter."""

from collections.abc import Iterable

from dsgc._tokens import TokenCounter, checked_cost
from dsgc.messages._pieces import Piece


class Pricing:
    """Prices by one counter; each distinct text is counted once for as long as it lives."""

    def __init__(self, count_tokens: TokenCounter) -> None:
        self._count_tokens = count_tokens
        self._known: dict[str, int] = {}
        self.framing = checked_cost("framing", getattr(count_tokens, "framing", 0))

    def text(self, text: str) -> int:
        """Return what a text costs, in tokens."""
        tokens = self._known.get(text)
        if tokens is None:
            # Errors may be logged, so they do not quote what a conversation says.
            name = f"a text of {len(text)} characters"
            tokens = checked_cost(name, self._count_tokens(text)) if text else 0
            self._known[text] = tokens
        return tokens

    def piece(self, piece: Piece) -> int:
        """Return what a piece costs, in tokens; no text and no media cost nothing."""
        return self.text(piece.text) + piece.media

    def pieces(self, pieces: Iterable[Piece]) -> int:
        """Return what pieces cost together, with the framing of each message they are of."""
        tokens, positions = 0, set()
        for piece in pieces:
            tokens += self.piece(piece)
            positions.add(piece.message)
        return tokens + self.framing * len(positions)
