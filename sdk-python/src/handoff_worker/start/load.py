"""Finds an application by what the user calls it: `main:app`, `main`, or the name of a file."""

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

NAMES = ("app", "application", "handler")
"""The names that are tried, in this order, where the user gives none. The examples of frameworks use the first two."""

FACTORIES = ("create_app", "make_app")


class LoadFailed(Exception):
    """There is no such application, or its module cannot be imported. The message says which, and what was expected."""


def load(words: str, factory: bool) -> Any:
    """
    The object that `words` names: `module:attribute`, `module`, `FILE.py:attribute` or `FILE.py`.

    With `factory` that object is called without arguments, and returns the application. Raises `LoadFailed` where there is no such
    object, and whatever its module raises.
    """
    place, colon, attribute = words.rpartition(":") if ":" in words else (words, "", "")
    module = _import(place)
    names = (attribute,) if colon else (FACTORIES if factory else NAMES)
    found = next((name for name in names if _has(module, name)), None)
    if found is None:
        raise LoadFailed(_missing(place, module, names, factory))
    application = module
    for part in found.split("."):
        application = getattr(application, part)
    if not factory:
        return application
    if not callable(application):
        raise LoadFailed(f"{place}:{found} is not a factory: it cannot be called")
    return application()


def _has(module: Any, name: str) -> bool:
    for part in name.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


def _missing(place: str, module: ModuleType, names: tuple[str, ...], factory: bool) -> str:
    wanted = " or ".join(names)
    factories = [name for name in FACTORIES if hasattr(module, name)]
    if factories and not factory:
        return f"{place} has no {wanted}, but a {factories[0]}: if that makes the application, add --factory"
    ours = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")][:10]
    hint = f"; there are {', '.join(ours)}" if ours else ""
    return f"{place} has no {wanted}: say which it is, as in {place}:NAME{hint}"


def _import(place: str) -> ModuleType:
    if place.endswith(".py") or "/" in place:
        return _import_file(Path(place))
    # As `python -m` does it: the working directory comes first.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return _import_module(place)


def _import_file(file: Path) -> ModuleType:
    """
    Imports a file under its own name, inside a package with the name of the package, so that others find it as the same module.

    Its name is not `__main__`, as with `python FILE`, so that it does not start a server of its own.
    """
    if not file.is_file():
        raise LoadFailed(f"there is no file {file}")
    top = file.resolve().parent
    parts = [file.stem]
    while (top / "__init__.py").is_file():
        parts.insert(0, top.name)
        top = top.parent
    if str(top) not in sys.path:
        sys.path.insert(0, str(top))
    name = ".".join(parts)
    if all(part.isidentifier() for part in parts) and name not in sys.stdlib_module_names and name not in sys.modules:
        module = _import_module(name)
        if getattr(module, "__file__", None) and Path(str(module.__file__)).resolve() == file.resolve():
            return module
    return _import_by_path(name, file)


def _import_by_path(name: str, file: Path) -> ModuleType:
    """For files whose name is no identifier, or the name of another module."""
    spec = importlib.util.spec_from_file_location("handoff_application." + name.replace(".", "_"), file)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name is not None and (problem.name == name or name.startswith(problem.name + ".")):
            raise LoadFailed(f"there is no module {problem.name} in {Path.cwd()} or on the module path") from None
        traceback.print_exc()
        raise LoadFailed(
            f"{name} needs {problem.name}, which {sys.executable} doesn't have: install it there"
        ) from None
