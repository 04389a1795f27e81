"""The first screen of a comparison: a sentence, a picture, what follows and whether to trust it."""
