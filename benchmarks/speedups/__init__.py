"""How much faster programs, functions and projects become."""
