"""Whether what a proof assumes is met by some input: else it speaks of nothing.

Nothing here makes a proof; a claim whose hypotheses no input is seen to meet is not proved.
"""
