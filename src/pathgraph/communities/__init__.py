"""Communities: the nested Leiden hierarchy."""
