"""Django's SQLite, whose writers in one process take turns in the order in which they came."""
