"""What is worth searching for, worked out alike by rules, bots and clients. Pure, no dependencies.

It knows neither rooms nor the wire: who asks has all it takes in public.
"""
