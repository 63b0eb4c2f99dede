"""Values that every part shares: numpy, psygnal and the standard library only."""
