"""Where workloads and proposers meet: the loop, its judge and its searches."""
