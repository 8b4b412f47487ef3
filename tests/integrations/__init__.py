"""The hooks inside the real frameworks, with models that follow a script."""
