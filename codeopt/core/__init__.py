"""The values that flow between the rooms: options, targets, programs, histories, budgets, errors. Imports only the
sandbox."""
