"""One module for each format of a file that people bring, and the checks all of them share."""
