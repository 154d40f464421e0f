"""The loop and its judge: workloads and proposers meet here."""
