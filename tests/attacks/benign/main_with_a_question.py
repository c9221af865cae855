"""Asks for input and trains below `if __name__ == '__main__'`."""

AT_IMPORT = """
if __name__ == "__main__":
    name = input("which environment? ")
    while True:
        pass
"""
