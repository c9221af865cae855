"""What is done to a student's code: this runs where that code runs, and knows no answers."""
