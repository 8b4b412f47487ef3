"""What a text costs: an estimate that needs no tokenizer and no network."""

FRAMING = 4  # tokens; the role and separators of a message in OpenAI's and Llama's templates
_BYTES_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is, in any script and without a tokenizer.

    `ceil(b / 4)` for a text of `b` bytes in UTF-8: close for English, and on the safe side for
    other scripts, where a character is two or three bytes. `compact` adds `framing` tokens for
    each message: its role and separators. A counter of your own may have such an attribute too.

    Args:
        text: Any text; what looks like a special token is text, and so is a lone surrogate.

    Returns:
        Tokens.

    Example:
        >>> estimate_tokens("Where is my order?"), estimate_tokens("订单" * 200)
        (5, 300)
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)


estimate_tokens.framing = FRAMING  # type: ignore[attr-defined]  # a function can have attributes
