"""Section 1 and tables 2-4: boosted trees on real datasets; does validation find the best, does training again help?"""
