"""What all tests share."""

import hypothesis

# Short, the same every time, and without files.
hypothesis.settings.register_profile("slideway", max_examples=25, deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("slideway")
