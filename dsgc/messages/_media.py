"""The fixed prices of what is no text; the bytes of an image say nothing about its tokens."""

IMAGE = 1_000  # tokens; about what a picture of 1,000 by 1,000 pixels costs
AUDIO = 1_000
VIDEO = 5_000
FILE = 3_000  # a few pages
