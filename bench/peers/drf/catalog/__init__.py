"""The localities and what they embed."""
