# verdict = "RE"
# exit = 1
# detail = "ModuleNotFoundError"

import no_such_module_here  # noqa: F401
