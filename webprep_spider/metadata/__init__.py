"""What describes a page: title, keywords, abstract, class, related links, date (S4.M)."""
