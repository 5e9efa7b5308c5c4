"""Has a name that would turn the direction of writing, move a terminal and end a line."""

import worker

NAME = "left\u202eright\u009b31m\u2028\u200bend\n\u061c"

worker.join(name=NAME, sdk=NAME)
while worker.receive()["type"] != "drain":
    pass
