"""Machine-made mistakes: making them, judging them, and telling what became of them."""
