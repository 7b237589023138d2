"""What to fetch: hub pages told from topic pages by their URL (S3)."""
