"""Attributes that are computed when they are first read, and then kept."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class computed_once(Generic[Value]):
    """
    Makes a method an attribute, whose value is computed at the first read.

    `functools.cached_property` does the same from Python 3.12 on. Before, it takes a lock that all instances share.
    """

    def __init__(self, method: Callable[[Any], Value]) -> None:
        self._method = method
        self._name = method.__name__
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "computed_once[Value]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object, owner: type) -> "Value | computed_once[Value]":
        if instance is None:
            return self
        value = self._method(instance)
        # From now on Python finds the attribute itself, before this descriptor.
        instance.__dict__[self._name] = value
        return value
