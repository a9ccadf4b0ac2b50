"""Answers in the words of posts: sentences, passages and summaries of them."""
