"""What models are told: versioned prompt files, and the pure functions that fill them in.

Belongs here: `<name>.v<version>.<language>.md` files, reading and rendering them. Does not: calls, reading replies.
"""
