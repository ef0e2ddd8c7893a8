"""The authors' record in a file of this package: what it holds, how it is read, and how it is made."""
