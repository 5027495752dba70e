"""The instructor's pages: who stands where, and what is decided for one student or the whole class."""
