"""Attributes that are computed when somebody asks for them, and once."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class computed(Generic[Value]):
    """
    A method as an attribute whose value stays.

    What `functools.cached_property` does since Python 3.12; before, that takes a lock which all instances share.
    """

    def __init__(self, method: Callable[[Any], Value]) -> None:
        self._method = method
        self._name = method.__name__
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "computed[Value]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object, owner: type) -> "Value | computed[Value]":
        if instance is None:
            return self
        value = self._method(instance)
        # From now on the attribute itself is found, before this descriptor.
        instance.__dict__[self._name] = value
        return value
