"""`python -m flowfabric worker my_module:app`."""

import sys

from .cli import main

sys.exit(main())
