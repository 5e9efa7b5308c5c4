"""What the workers of the tests can be asked for."""

import multiprocessing
import os
import signal

terminated_at_once = False


def _terminate() -> None:
    if terminated_at_once:
        os.kill(os.getpid(), signal.SIGTERM)


os.register_at_fork(after_in_child=_terminate)  # before those of the SDK, which is imported later


def deed(path: str) -> str:
    """Does what the path says, and returns the response."""
    if path == "/token":
        return os.environ.get("HANDOFF_TOKEN", "none")
    if path == "/fork":
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        return str(child)
    if path in ("/fork-and-terminate", "/process-and-terminate"):
        return _end_of_child(path)
    if path == "/print":
        print("printed")
    return path


def _end_of_child(path: str) -> str:
    """The signal that ended a child which was told to stop as early as that is possible."""
    if path == "/process-and-terminate":
        process = multiprocessing.get_context("fork").Process(target=signal.pause)
        process.start()
        process.terminate()
        process.join()
        return str(-(process.exitcode or 0))
    global terminated_at_once
    terminated_at_once = True
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    terminated_at_once = False
    return str(os.WTERMSIG(os.waitpid(child, 0)[1]))
