"""What runs an application as a worker process: engines, threads, tasks, signals. Knows no kind of application."""
