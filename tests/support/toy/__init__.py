"""A toy game that uses all of the contract at once, so that every promise is tested before a game
needs it: sealed answers, a window in which everybody may speak several times, a budget shared by
windows, forms of every kind, actions outside any window, answers that are completed, open draws.
"""
