"""The heart of the grader: what is asked about a blank, what each mistake leads to, and naming it.

It knows no homework.
"""
