"""What a student uses beside `check`: the zip to hand in, and notebooks."""
