"""Where a worker begins: finds the application, tells its kind, and gives it to its engine."""
