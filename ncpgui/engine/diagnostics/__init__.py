"""Is a learned posterior over clusterings right?"""
