"""Changes of the tables, as Django wrote them."""
