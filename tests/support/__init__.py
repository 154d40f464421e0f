"""What several tests use: real servers and programs, never mocks."""
