"""The loop, its judge and its searches: workloads and proposers meet here."""
