"""How fast dsgc is, each claim as a ratio measured within one run."""
