"""Names a misconception by the record that it leads to; knows no homework."""
