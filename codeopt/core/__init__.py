"""What flows between the rooms: options, targets, programs, histories, budgets, errors; it imports only the sandbox."""
