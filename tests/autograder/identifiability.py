"""The seeds on which it is shown that no two outcomes of a probe can be taken for each other."""

PUBLIC = [*range(5)]
FEW = [*PUBLIC, *range(1000, 1015)]
ALL = [*PUBLIC, *range(10_000, 10_200)]  # 200 fresh ones
